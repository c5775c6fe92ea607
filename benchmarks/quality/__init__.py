"""What the table of quality is made of: corpora, problems, learners and measures."""
