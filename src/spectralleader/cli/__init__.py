"""The command line: arguments -> one library call -> print.

Heavy imports happen inside the commands, so that help and errors answer at once.
"""

from spectralleader.cli.app import app, main

__all__ = ["app", "main"]
