"""Learn a file while being killed again and again: run as a script, prints what happened.

A process with everything imported and compiled forks one that learns, waits until it is far enough,
kills it at a random moment, and forks the next, which goes on. How far is counted in steps, not in
seconds, so that a busy machine changes nothing.
"""

import json
import os
import random
import signal
import sys
import time

from spectralleader import load
from spectralleader.jobs import Source, Watcher, learn

N_KILLS, LINGER = 36, 0.03  # seconds at most between a step and the kill


class Reporter(Watcher):
    """Writes a byte a step."""

    def __init__(self, pipe):
        self.pipe = pipe

    def stepped(self, result):
        os.write(self.pipe, b".")


def run(options, watcher=None):
    source = Source(**options["source"])
    return learn(source, **options["learn"], checkpoint_every=1, watcher=watcher)


def start(options):
    """Fork a process that learns; return its id and where its steps can be read."""
    steps, pipe = os.pipe()
    child = os.fork()
    if child:
        os.close(pipe)
        return child, steps
    code = 1
    try:
        run(options, Reporter(pipe))
        code = 0
    finally:
        os._exit(code)


def kill_after(child, steps, n_steps, pause):
    """Kill a process some time after its next n steps; return whether it was still at it."""
    for _ in range(n_steps):
        if not os.read(steps, 1):
            break
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    os.close(steps)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main(options):
    rng = random.Random(options["seed"])
    path = options["learn"]["save"]
    run({**options, "learn": {**options["learn"], "save": options["whole"]}})
    n_docs, n_kills, n_left = [], 0, 0
    for i in range(N_KILLS):
        child, steps = start(options)
        # some are killed while they start, most after a few steps
        n_kills += kill_after(child, steps, i % options["stride"], rng.uniform(0, LINGER))
        folder = os.path.dirname(path)
        n_left += any(name.startswith(".") for name in os.listdir(folder))
        n_docs.append(load(path).n_docs if os.path.exists(path) else 0)
    result = run(options)
    print(
        json.dumps({"n_docs": n_docs, "n_kills": n_kills, "n_left": n_left, "L1": result.mean_loss})
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
