"""The streams of the study: named corpora, their word counts, and synthetic problems."""
