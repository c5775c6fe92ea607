"""Benchmarks: seeded workloads, ours and the peers' in one run, ratios out.

``python -m benchmarks`` runs them all; ``--help`` lists the options.
"""
