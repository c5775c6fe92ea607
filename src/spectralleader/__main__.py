"""The command `spectralleader`, also as `python -m spectralleader`.

Slow imports come after the signal handlers are installed.
"""

from __future__ import annotations

import signal
from importlib import import_module


def main(command_line: str = "spectralleader.cli") -> None:
    """Run the `main` of a module; signals never end in a traceback, not even during imports."""
    from spectralleader.runtime.interrupts import TO_END, end_process

    # What was ignored before the start, as under nohup, stays ignored.
    for number in TO_END:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end_process)
    try:
        import_module(command_line).main()
    finally:  # Python restores the default handlers while it shuts down
        for number in TO_END:
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
