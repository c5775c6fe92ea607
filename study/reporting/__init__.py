"""Tables, figures and verdicts, computed from rows.

This package knows the roles of learners, but imports no learner.
"""
