"""Cluster the users of MovieLens online, by what they like: print figures and draw one.

python docs/examples/movielens_users.py [FOLDER FOR THE FIGURE]
"""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import logsumexp

from spectralleader import TextTopics, load, save
from spectralleader.sources.corpora import get

N_TOPICS, BLOCK = 6, 25
WARM_UP = 1000  # sessions before predictions count
SHOWN = 8  # sessions of a user that the figure shows


def read_sessions():
    """Return all sessions in order of time: the user, and the films they liked."""
    with gzip.open(get("movielens"), "rt", encoding="utf-8") as file:
        return [(entry["user"], entry["items"]) for entry in map(json.loads, file)]


def profile(model, posteriors):
    """Return a user's topics: the mean over their sessions, with the weights as one more."""
    return (model.weights + np.sum(posteriors, axis=0)) / (1 + len(posteriors))


def losses_of(topics, session, posteriors):
    """Return the nats of a session's films, by each way to predict them, and their number."""
    model, documents = topics.model, topics.count([session])
    films, counts = documents.words, documents.counts
    with np.errstate(divide="ignore"):
        by_topic = np.log(model.topics.T[films])
        everyone, own = np.log(model.weights), np.log(profile(model, posteriors))
        popular = np.log(model.weights @ model.topics)[films]
    ways = {
        "popularity alone": -counts @ popular,
        "a topic per session": -logsumexp(everyone + counts @ by_topic),
        "a topic per session, by the user's past": -logsumexp(own + counts @ by_topic),
    }
    return {way: (float(loss), float(counts.sum())) for way, loss in ways.items()}


def learn(sessions):
    """Learn all sessions in order; return the topics, the losses and what was met on the way."""
    topics = TextTopics(N_TOPICS, words="tokens", block_size=BLOCK)
    users, losses, n_films = defaultdict(list), defaultdict(list), []
    for start in range(0, len(sessions), BLOCK):
        block = sessions[start : start + BLOCK]
        for user, films in block if start >= WARM_UP else ():
            past = topics.posterior(users[user]) if users[user] else []
            for way, loss in losses_of(topics, films, past).items():
                losses[way].append((*loss, len(users[user])))
        topics.learn([films for _, films in block], position={"sessions": start + len(block)})
        n_films.append(topics.vocabulary.n_words)
        for user, films in block:
            users[user].append(films)
    return topics, users, losses, n_films


def perplexity(losses, *, least=0, most=10**9):
    """Return the perplexity of a film, over sessions of users with so many sessions before."""
    rows = np.array([row for row in losses if least <= row[2] <= most])
    return float(np.exp(rows[:, 0].sum() / rows[:, 1].sum()))


def report(topics, users, losses, n_films):
    """Print what was found."""
    n_sessions = sum(map(len, users.values()))
    print(f"{n_sessions:,} sessions of {len(users)} users, {n_films[-1]:,} films")
    for k, films in enumerate(topics.top_words(4)):
        print(f"topic {k + 1}  {topics.model.weights[k]:.2f}  {' · '.join(films)}")
    print("perplexity of a film, predicted before it is learned; at a user's 5th session or later:")
    for way, found in losses.items():
        print(f"  {way:40} {perplexity(found):6.1f} {perplexity(found, least=4):6.1f}")
    half = n_films[len(n_films) // 2]
    print(f"films that were new in the second half of the stream: {n_films[-1] - half}")
    print(f"drift: {topics.learner.info.drifts_since}")
    user = max(users, key=lambda one: len(users[one]))
    shares = profile(topics.model, topics.posterior(users[user]))
    print(f"user {user}, {len(users[user])} sessions:", *(f"{share:.2f}" for share in shares))


def draw(losses, n_films, path):
    """Draw how prediction gets better with a user's sessions, and films as they come."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "spectralleader"  # the same figure, the same bytes
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
    before = range(SHOWN)
    for way, found in losses.items():
        left.plot(before, [perplexity(found, least=n, most=n) for n in before], "o-", label=way)
    left.set(xlabel="sessions of the user before", ylabel="perplexity of a film", ylim=(0, None))
    left.legend()
    right.plot(BLOCK * np.arange(1, len(n_films) + 1), n_films)
    right.set(xlabel="sessions learned", ylabel="films met", ylim=(0, None))
    figure.savefig(path, metadata={"Date": None})


def main(folder):
    """Learn, report, draw."""
    topics, users, losses, n_films = learn(read_sessions())
    saved = save(topics, folder / "films.sl")
    assert load(saved).position == topics.position  # resumed, no session comes twice
    report(topics, users, losses, n_films)
    draw(losses, n_films, folder / "movielens.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
