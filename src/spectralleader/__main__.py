"""`python -m spectralleader` is the command `spectralleader`."""

from spectralleader.cli import main

main()
