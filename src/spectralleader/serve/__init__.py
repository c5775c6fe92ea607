"""A service over HTTP: learns in one thread, answers from snapshots, and shows a live page.

Here belongs what speaks HTTP. Learning is `jobs.run`, as for `learn`; the page is that of `page`.
"""
