"""What makes the pages of the documentation."""
