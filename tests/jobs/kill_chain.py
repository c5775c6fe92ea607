"""Learn a file while being killed again and again: run as a script, prints what happened.

A process with everything imported and compiled forks one that learns, lets it take some steps and
begin another, kills it at a random moment, and forks the next, which goes on. A step is taken when
it is allowed, so that neither a fast nor a busy machine changes how far each one comes.
"""

import json
import os
import random
import signal
import sys
import time
from functools import partial

from spectralleader import load
from spectralleader.jobs import Progress, Source, learn

N_KILLS = 36
MOST_STEPS = 6  # between two kills


class Obedient(Progress):
    """Tells of each step, and waits until the next one is allowed."""

    def __init__(self, told, allowed):
        self.told, self.allowed = told, allowed

    def stepped(self, result):
        os.write(self.told, b".")
        os.read(self.allowed, 1)


def run(options, progress=None):
    source = Source(**options["source"])
    return learn(source, **options["learn"], checkpoint_every=1, progress=progress)


def kill_one(learn, n_steps, pause):
    """Fork a process that learns, and kill it some time after it has taken n steps."""
    steps, told = os.pipe()
    allowed, permits = os.pipe()
    child = os.fork()
    if not child:
        os.close(steps)
        os.close(permits)
        try:
            learn(Obedient(told, allowed))
        finally:
            os._exit(1)
    os.close(told)
    os.close(allowed)
    for _ in range(n_steps):
        os.read(steps, 1)
        os.write(permits, b".")
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(steps)
    os.close(permits)
    return os.WIFSIGNALED(status)


def main(options):
    rng, path = random.Random(options["seed"]), options["learn"]["save"]
    whole = {**options, "learn": {**options["learn"], "save": options["whole"]}}
    result = run(whole)
    step = result.seconds / (result.topics.n_docs / options["source"]["block"])
    n_docs, n_kills = [], 0
    for i in range(N_KILLS):
        n_kills += kill_one(partial(run, options), i % MOST_STEPS, rng.uniform(0, 1.5 * step))
        n_docs.append(load(path).n_docs if os.path.exists(path) else 0)
    run(options)
    print(json.dumps({"n_docs": n_docs, "n_kills": n_kills}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
