"""What comes from outside is checked here: arguments of callers, and states that are read back.

Here belongs what several folders refuse in the same way. What only one class can judge, such as
its own settings, is checked there.
"""

from spectralleader.checks.arguments import check_json, check_whole, is_number, is_whole

__all__ = ["check_json", "check_whole", "is_number", "is_whole"]
