"""``python -m autov``."""

from autov.cli import main

if __name__ == "__main__":
    main()
