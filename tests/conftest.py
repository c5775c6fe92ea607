"""Settings of the whole test run."""

from hypothesis import Phase, settings

# a first call compiles its kernels, so no example has a deadline; the same examples every run
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.register_profile(
    "mutation",  # a test that fails need not look for the smallest example
    settings.get_profile("repeatable"),
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("repeatable")
