"""The compiled matrix adaptation evolution strategy."""
