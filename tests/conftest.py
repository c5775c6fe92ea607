"""Settings of the whole test run."""

from hypothesis import settings

# a first call compiles its kernels, so no example has a deadline; the same examples every run
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("repeatable")
