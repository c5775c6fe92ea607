"""The peer of `serve`: scikit-learn's LDA behind a plain FastAPI endpoint.

python -m benchmarks.lda_service TEXTS PORT N_TOPICS N_WORDS [learn]

With `learn` a thread calls `partial_fit` as fast as it can.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

BATCH = 100  # documents of a step, as ours has
N_FITTED = 5000  # documents: what transform costs does not depend on how many were learned


class Body(BaseModel):
    """A request."""

    texts: list[str]


def make_app(texts: list[str], n_topics: int, n_words: int, *, learns: bool) -> FastAPI:
    """Fit a model, and return what answers from it."""
    vectorizer = CountVectorizer(stop_words="english", max_features=n_words)
    counts = vectorizer.fit_transform(texts)
    model = LatentDirichletAllocation(n_topics, random_state=0, learning_method="online")
    model.partial_fit(counts[:N_FITTED])

    def learn() -> None:
        while True:  # transform reads one array, which each step replaces: it needs no lock
            for start in range(0, counts.shape[0] - BATCH, BATCH):
                model.partial_fit(counts[start : start + BATCH])

    if learns:
        threading.Thread(target=learn, daemon=True).start()
    app = FastAPI()

    @app.post("/predict")
    def predict(body: Body) -> dict[str, list[dict[str, float]]]:
        shares = model.transform(vectorizer.transform(body.texts))
        best = shares.argmax(axis=1)
        found = [
            {"topic": int(k) + 1, "probability": round(float(shares[i, k]), 4)}
            for i, k in enumerate(best)
        ]
        return {"documents": found}

    return app


def main() -> None:
    """Serve until killed."""
    path, port, n_topics, n_words = sys.argv[1], *map(int, sys.argv[2:5])
    texts = Path(path).read_text(encoding="utf-8").splitlines()
    app = make_app(texts, n_topics, n_words, learns="learn" in sys.argv[5:])
    uvicorn.run(app, port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
