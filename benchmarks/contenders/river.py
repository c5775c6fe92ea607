"""river: online LDA with an infinite vocabulary, one document at a time."""

from __future__ import annotations

from benchmarks.task import Task
from benchmarks.timing import Trial


def lda(task: Task) -> Trial:
    """Learn the documents one by one, as river does everything."""
    from river.preprocessing import LDA

    model = LDA(n_components=task.n_topics, number_of_documents=task.n_docs, seed=task.seed)
    bags = [_bag(document.words, document.counts) for document in task.documents.blocks(1)]

    def run() -> None:
        for bag in bags:
            model.learn_one(bag)

    return Trial(run, task.n_docs)


def _bag(words: object, counts: object) -> dict[str, int]:
    return {str(word): int(count) for word, count in zip(words, counts, strict=True)}
