"""Cluster sessions of MovieLens users online: print a report and draw a figure.

python -m docs.examples.movielens_users [FOLDER FOR THE FIGURE]
"""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import logsumexp

from spectralleader import TextTopics, load, save
from study.sources.corpora import get

N_TOPICS, BLOCK = 6, 25
WARM_UP = 1000  # sessions before predictions are evaluated
SHOWN = 8  # earlier sessions of a user, on the axis of the figure


def read_sessions():
    """Return all sessions in order of time: the user and the films they liked."""
    with gzip.open(get("movielens"), "rt", encoding="utf-8") as file:
        return [(entry["user"], entry["items"]) for entry in map(json.loads, file)]


def profile(model, posteriors):
    """Return a user's profile: the mean posterior of their sessions, smoothed by the weights."""
    return (model.weights + np.sum(posteriors, axis=0)) / (1 + len(posteriors))


def losses_of(topics, session, posteriors):
    """Return the loss of a session in nats and its number of films, for each predictor."""
    model, documents = topics.model, topics.count([session])
    films, counts = documents.words, documents.counts
    with np.errstate(divide="ignore"):
        by_topic = np.log(model.topics.T[films])
        prior, own = np.log(model.weights), np.log(profile(model, posteriors))
        popular = np.log(model.weights @ model.topics)[films]
    losses = {
        "popularity": -counts @ popular,
        "topics, weights as prior": -logsumexp(prior + counts @ by_topic),
        "topics, user's profile as prior": -logsumexp(own + counts @ by_topic),
    }
    return {name: (float(loss), float(counts.sum())) for name, loss in losses.items()}


def learn(sessions):
    """Predict each session, then learn it; return topics, sessions, losses and vocabulary sizes."""
    topics = TextTopics(N_TOPICS, words="tokens", block_size=BLOCK)
    users, losses, n_films = defaultdict(list), defaultdict(list), []
    for start in range(0, len(sessions), BLOCK):
        block = sessions[start : start + BLOCK]
        for user, films in block if start >= WARM_UP else ():
            past = topics.posterior(users[user]) if users[user] else []
            for name, loss in losses_of(topics, films, past).items():
                losses[name].append((*loss, len(users[user])))
        topics.learn([films for _, films in block], position={"sessions": start + len(block)})
        n_films.append(topics.vocabulary.n_words)
        for user, films in block:
            users[user].append(films)
    return topics, users, losses, n_films


def perplexity(losses, *, least=0, most=10**9):
    """Return the perplexity per film of sessions whose user has so many earlier sessions."""
    rows = np.array([row for row in losses if least <= row[2] <= most])
    return float(np.exp(rows[:, 0].sum() / rows[:, 1].sum()))


def report(topics, users, losses, n_films):
    """Print the report."""
    n_sessions = sum(map(len, users.values()))
    print(f"{n_sessions:,} sessions of {len(users)} users, {n_films[-1]:,} films")
    for k, films in enumerate(topics.top_words(3)):
        print(f"topic {k + 1}  {topics.model.weights[k]:.2f}  {' · '.join(films)}")
    print(f"{'prequential perplexity per film':35} all sessions  5th and later of a user")
    for name, found in losses.items():
        print(f"  {name:33} {perplexity(found):12.1f} {perplexity(found, least=4):14.1f}")
    half = n_films[len(n_films) // 2]
    print(f"new films in the second half of the stream: {n_films[-1] - half}")
    print(f"drift: {topics.learner.drifts_since}")
    user = max(users, key=lambda one: len(users[one]))
    shares = profile(topics.model, topics.posterior(users[user]))
    listed = " ".join(f"{share:.2f}" for share in shares)
    print(f"profile of user {user}, {len(users[user])} sessions: {listed}")


def draw(losses, n_films, path):
    """Draw perplexity by a user's number of earlier sessions, and the growth of the vocabulary."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "spectralleader"  # the same figure, the same bytes
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
    before = range(SHOWN)
    for name, found in losses.items():
        left.plot(before, [perplexity(found, least=n, most=n) for n in before], "o-", label=name)
    left.set(xlabel="earlier sessions of the user", ylabel="perplexity per film", ylim=(0, None))
    left.legend()
    right.plot(BLOCK * np.arange(1, len(n_films) + 1), n_films)
    right.set(xlabel="sessions learned", ylabel="films in the vocabulary", ylim=(0, None))
    figure.savefig(path, metadata={"Date": None})


def main(folder):
    """Learn, report, draw."""
    topics, users, losses, n_films = learn(read_sessions())
    saved = save(topics, folder / "films.sl")
    assert load(saved).position == topics.position  # a resumed run continues with the next session
    report(topics, users, losses, n_films)
    draw(losses, n_films, folder / "movielens.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
