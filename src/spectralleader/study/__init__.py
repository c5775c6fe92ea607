"""The paper's experiments: scenarios as data, runs, claims, tables, figures, and a demo.

This package compares learners for readers; `evaluation` holds the metrics. It requires the extra
`study`.
"""
