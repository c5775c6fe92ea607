"""The command line: arguments to one call of `jobs`, its result printed.

Here belong options, tables and progress displays. What a command does is in `jobs`. Heavy imports
happen inside the commands, so that help and errors answer at once.
"""

from spectralleader.cli.app import app, main

__all__ = ["app", "main"]
