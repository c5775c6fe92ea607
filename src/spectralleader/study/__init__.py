"""The paper's experiments: scenarios as data, runs, claims, tables, figures, and the demonstration.

Here belongs what tells of learners to readers. What judges them is in `evaluation`. It needs the
extra `study`.
"""
