"""The command line tool by another way in: ``python -m regraft``."""

from .cli import app

if __name__ == "__main__":
    app(prog_name="regraft")
