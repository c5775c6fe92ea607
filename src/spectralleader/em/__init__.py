"""EM on arrays: sufficient statistics, E- and M-steps, and starting points.

This package holds the computations; `learners` builds learners from them.
"""
