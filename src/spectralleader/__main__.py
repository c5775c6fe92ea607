"""The command `spectralleader`, also as `python -m spectralleader`.

Nothing that takes time is imported before signals are taken care of.
"""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line; from here on no signal ends in a traceback, also while it is loaded."""
    from spectralleader.runtime.interrupts import TO_END, end_process

    for number in TO_END:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end_process)
    try:
        from spectralleader.cli import main as run

        run()
    finally:  # as Python ends it would give signals their default handlers back
        for number in TO_END:
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
