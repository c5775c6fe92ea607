"""Edge out: tables and figures. Reads rows only, and knows nothing of learners."""
