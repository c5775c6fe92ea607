"""The command `python -m study`."""

from spectralleader.__main__ import main

if __name__ == "__main__":
    main("study.cli")
