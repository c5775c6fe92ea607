"""Readers of CSV, JSON lines, Parquet and plain text files, in blocks and bounded memory.

This package knows file formats, columns, and the positions at which reading resumes.
"""
