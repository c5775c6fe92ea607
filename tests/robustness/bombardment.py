"""Real signals for real processes, at random moments from their start on.

Run by itself, for longer than the suite can: ``python -m tests.robustness.bombardment 60``.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from spectralleader import load
from tests.factories import comparable, same_state, texts

CODES = {signal.SIGINT: {0, 130}, signal.SIGTERM: {0, 143}}  # 0: it was through, or had saved
WITHIN = 5.0  # seconds that a command may take to end
STARTS = 0.15  # seconds within which Python has not come to our code
LOOP = """
import hashlib, signal, sys
from spectralleader import TextTopics
from spectralleader.storage.container import pack
lines = open(sys.argv[1]).read().splitlines()
topics, n_interrupts = TextTopics(n_topics=3, block_size=50), 0
print("ready", flush=True)
while topics.n_docs < len(lines):
    try:
        topics.learn(lines[topics.n_docs :])
        topics.posterior(lines[:20])
        topics.at("all")
    except KeyboardInterrupt:
        n_interrupts += 1
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(n_interrupts, hashlib.sha256(pack(topics.to_state())).hexdigest())
"""


def command(*arguments):
    """A command line of ours, in a process of its own."""
    return [sys.executable, "-m", "spectralleader", *map(str, arguments)]


def is_caught(pid, number):
    """Whether a process has a handler for a signal by now."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    mask = int(
        next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16
    )
    return bool(mask >> (number - 1) & 1)


def hit(arguments, moment, number):
    """Run a command and send it a signal after so many seconds; check how it ended."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        is_ours = is_caught(process.pid, signal.SIGTERM)
        process.send_signal(number)
    else:
        is_ours = True
    began = time.perf_counter()
    err = process.communicate(timeout=60)[1]
    took = time.perf_counter() - began
    told = (
        f"{arguments[2:5]} {number.name} after {moment:.3f} s: {process.returncode}\n{err[-2000:]}"
    )
    if not is_ours and moment < 2:  # before Python came to our code
        return
    assert process.returncode in CODES[number], told
    assert "Traceback" not in err, told
    assert took < WITHIN, f"{told} took {took:.1f} s"


def write_texts(folder):
    """A file that takes about a second to learn."""
    lines = [f"{text} rare{i % 997}" for i, text in enumerate(texts(3000)[0])]
    (folder / "news.txt").write_text("\n".join(lines))
    return folder / "news.txt"


def bombard_learning(folder, n_signals, rng, vocabulary):
    """Stop and resume learning; the outcome is that of a run nobody disturbed."""
    data, saved, whole = write_texts(folder), folder / "saved", folder / "whole"
    learn = ("learn", data, "-k", 3, "--vocabulary", vocabulary, "--save")
    began = time.perf_counter()
    subprocess.run(command(*learn, whole), check=True, capture_output=True)
    length = time.perf_counter() - began
    for _ in range(n_signals):
        hit(command(*learn, saved), rng.uniform(0, length), rng.choice(list(CODES)))
        if saved.exists() and rng.random() < 0.3:
            load(saved)
        if saved.exists() and load(saved).n_docs == 3000:
            # all is learned, but a race may have been put off
            subprocess.run(command(*learn, saved), check=True, capture_output=True)
            assert same_state(comparable(saved), comparable(whole))
            saved.unlink()
    subprocess.run(command(*learn, saved), check=True, capture_output=True)
    assert same_state(comparable(saved), comparable(whole))
    left = {path.name for path in folder.iterdir()} - {"news.txt", "saved", "whole"}
    assert not left, left


def bombard_others(folder, n_signals, rng):
    """Stop commands that only read a model, or make one of two."""
    data, models = write_texts(folder), [folder / "a.sl", folder / "b.sl"]
    for model in models:
        subprocess.run(
            command("learn", data, "-k", 3, "--save", model), check=True, capture_output=True
        )
    merged = folder / "c.sl"
    for _ in range(n_signals):
        hit(command("predict", models[0], data), rng.uniform(0, 1.5), rng.choice(list(CODES)))
        hit(command("evaluate", data, "-k", 3), rng.uniform(0, 3), rng.choice(list(CODES)))
        hit(command("merge", *models, "-o", merged), rng.uniform(0, 1.5), rng.choice(list(CODES)))
        if merged.exists():
            load(merged)


def bombard_python(folder, n_signals, rng):
    """Interrupt a loop of TextTopics.learn; it ends with the topics of one nobody disturbed."""
    data = write_texts(folder)
    arguments = [sys.executable, "-c", LOOP, str(data)]
    quiet = subprocess.run(arguments, check=True, capture_output=True, text=True)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    for _ in range(n_signals):
        time.sleep(rng.uniform(0, 0.03))
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, ""), (process.returncode, err[-2000:])
    n_interrupts, digest = out.split()
    assert digest == quiet.stdout.split()[-1]
    return int(n_interrupts)


def bombard(n_signals, seed):
    """Do all of it."""
    rng = random.Random(seed)
    parts = {
        "learn, counted vocabulary": lambda f: bombard_learning(f, n_signals, rng, "500"),
        "learn, growing vocabulary": lambda f: bombard_learning(f, n_signals, rng, "grow:500"),
        "predict, evaluate, merge": lambda f: bombard_others(f, max(1, n_signals // 3), rng),
        "a loop of TextTopics.learn": lambda f: bombard_python(f, n_signals, rng),
    }
    for name, part in parts.items():
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            part(Path(folder))
            print(f"{name}: {n_signals} signals, {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    bombard(
        int(sys.argv[1]) if len(sys.argv) > 1 else 60, int(sys.argv[2]) if len(sys.argv) > 2 else 0
    )
