"""The paper's experiments: scenarios as data, runs, claims, tables, figures, and a demo.

``python -m study`` runs it, in a checkout with the extra `study`. It compares learners for readers;
`spectralleader` is the library that users install, and does not know this package.
"""
