"""Validation of external input: arguments of callers, and states read from files.

This package holds the checks that several packages share. A class checks its own settings itself.
"""

from spectralleader.checks.arguments import (
    check_json,
    check_truth,
    check_whole,
    is_number,
    is_whole,
)

__all__ = ["check_json", "check_truth", "check_whole", "is_number", "is_whole"]
