"""Settings for all tests."""

from hypothesis import settings

# Time limits of examples would fail on a busy machine; examples are the same in every run.
settings.register_profile("autov", deadline=None, derandomize=True)
settings.load_profile("autov")
