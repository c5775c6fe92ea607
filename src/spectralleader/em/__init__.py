"""EM in arrays: expected statistics, the steps that add to them and read them, where it starts.

Here belong computations. Learners that are made of them are in `learners`.
"""
