"""What is measured: one section a file, each a function of the bench."""
