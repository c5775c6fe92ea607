"""How the code is run: kernels compiled and kept, signals held back, threads one at a time.

Here belongs what protects a step from the world around it, and nothing that knows of documents.
"""
