"""The command line: parses arguments, calls `jobs` once, and prints the result.

This package holds options, tables and progress displays. Heavy imports happen inside the commands,
so that --help and usage errors are fast.
"""

from spectralleader.cli.app import app, main

__all__ = ["app", "main"]
