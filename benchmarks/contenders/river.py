"""river: online LDA with an infinite vocabulary, one document at a time."""

from __future__ import annotations

from benchmarks.task import Task
from benchmarks.timing import Trial


def lda(task: Task) -> Trial:
    """Learn the documents one by one, as river does everything."""
    from river.preprocessing import LDA

    model = LDA(n_components=task.n_topics, number_of_documents=task.n_docs, seed=task.seed)
    bags = bags_of(task)

    def run() -> None:
        for bag in bags:
            model.learn_one(bag)

    return Trial(run, task.n_docs)


def bags_of(task: Task) -> list[dict[str, int]]:
    """Return the documents as river has them."""
    return [{str(word): count for word, count in bag} for bag in task.documents.to_bow()]
