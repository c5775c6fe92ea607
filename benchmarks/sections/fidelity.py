"""How close SpectralLeader's losses are to those of Algorithm 1, which rebuilds everything."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.sizes import N_TOPICS, SEED
from spectralleader import Algorithm1, SpectralLeader, SpectralMethod
from study.judging import Block, judge, log_loss, recovery_error, running_averages

SECTION = "losses against Algorithm1"
BLOCK = 10


def run(bench: Bench) -> None:
    """Judge both learners on the same blocks, and add by how much their losses differ, in %."""
    advance = bench.bar("fidelity", total=2)
    documents = bench.stream.documents
    n_docs = BLOCK * bench.sizes.fidelity_steps
    method = SpectralMethod(N_TOPICS, n_words=documents.n_words, seed=SEED)
    metrics = {"L1": log_loss, "L2": recovery_error(method.fit(documents).model)}
    losses = []
    sizes = {"n_words": documents.n_words, "seed": SEED}
    fast, slow = SpectralLeader(N_TOPICS, **sizes, noise_rank=False), Algorithm1(N_TOPICS, **sizes)
    for leader in (fast, slow):
        blocks = (Block(block) for block in documents[:n_docs].blocks(BLOCK))
        *_, last = running_averages(judge(leader, blocks, metrics))
        losses.append(last)
        advance()
    ours, literal = losses
    for name in metrics:
        difference = 100 * abs(ours[name] / literal[name] - 1)
        bench.results.rows.append(Row(SECTION, name, (difference,), n_docs, unit="%"))
