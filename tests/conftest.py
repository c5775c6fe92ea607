"""Settings of the whole test run."""

import signal

from hypothesis import settings

# A shell lets its background jobs ignore Ctrl-C, and all they start: tests of signals need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# a first call compiles its kernels, so no example has a deadline; the same examples every run
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("repeatable")
