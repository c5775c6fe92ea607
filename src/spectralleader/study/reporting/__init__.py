"""Tables, figures and verdicts, made of rows.

Here belongs what a reader sees. It knows rows and the roles of learners, and no learner.
"""
