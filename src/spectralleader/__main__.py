"""The command `spectralleader`, which is `python -m spectralleader` too.

Nothing that takes time is imported before Ctrl-C is taken care of.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

STOPPED = 130  # exit code, as a shell has it
IMPORTING = "<frozen importlib._bootstrap>"  # the file of frames that import


def main() -> None:
    """Run the command line; Ctrl-C is quiet from here on, also while it is being loaded."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    from spectralleader.cli import main as run

    run()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; in the middle of an import, end at once.

    Extension modules that are interrupted as they start swallow it or make another error of it.
    """
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            os._exit(STOPPED)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
