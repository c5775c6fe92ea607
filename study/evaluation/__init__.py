"""The paper's analysis, measured: exact regret, and the bounds on it."""
