"""The command line tool by another way in: ``python -m regraft``."""

from .cli import main

if __name__ == "__main__":
    main()
