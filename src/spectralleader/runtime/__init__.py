"""Runtime: compilation and caching of kernels, deferral of signals, and locking.

Here belongs what protects a step from the world around it, and nothing that knows of documents.
"""
