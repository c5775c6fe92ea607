"""A second family is learned, judged, saved, resumed and merged by what topics are."""

import json

import numpy as np
import pytest

from spectralleader import Documents, load, merge, register_learner, save
from spectralleader.evaluation import Prequential
from spectralleader.learners.protocol import HasRecent, Merges, Remembers, Reports
from spectralleader.reading.snapshot import Snapshot, list_topics
from spectralleader.sources import read
from spectralleader.storage import load_checkpoint
from spectralleader.storage.checkpoint import Checkpoint, Losses
from spectralleader.testing import LawError, check_learner
from spectralleader.testing.requirements import cut, same_state, taught
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words
from tests.families.bernoulli import BERNOULLI, BernoulliLeader, BernoulliModel, Vectors

TRUTH = BernoulliModel(np.array([0.6, 0.4]), np.array([[0.9, 0.8, 0.1, 0.2], [0.1, 0.2, 0.9, 0.7]]))
NAMES = ["rain", "wind", "goal", "late"]
register_learner(BernoulliLeader)


def draw(n, seed=0, truth=TRUTH):
    rng = np.random.default_rng(seed)
    classes = rng.choice(2, size=n, p=truth.weights)
    return Vectors(rng.random((n, 4)) < truth.topics[classes])


def new(**settings):
    return BernoulliLeader(2, n_words=4, **settings)


def test_it_satisfies_the_laws():
    check_learner(BernoulliLeader, BERNOULLI)


def test_the_laws_find_out_a_member_of_the_family_that_breaks_one():
    class Proud(BernoulliLeader):
        """Says that whatever it is asked for is certain."""

        @property
        def predictive(self):
            mixed = super().predictive
            mixed.mixing.log_prob = lambda log_probs: np.zeros(len(log_probs))
            return mixed

    with pytest.raises(LawError, match="probabilities must sum to 1, not 2"):
        check_learner(Proud, BERNOULLI)


def test_it_has_the_abilities_of_ours():
    for ability in (Remembers, HasRecent, Reports, Merges):
        assert isinstance(new(), ability)


def test_it_learns_the_truth_and_is_judged_before_it_learns():
    judged, losses = Prequential(new()), []
    for block in cut(draw(4000), 50):
        losses.append(judged.predict(block))
        judged.learn(block, losses[-1])
    model = judged.learner.model
    order = np.argsort(-model.topics[:, 0])
    assert np.abs(model.topics[order] - TRUTH.topics).max() < 0.05
    best = -TRUTH.log_prob(draw(4000)).mean()
    assert judged.losses.n_words == 4 * 3950  # of the first block there is no prediction
    late = sum(losses[40:], Losses())
    assert late.mean_loss < best + 0.1  # of 2.3 nats; two standard errors are 0.04


def test_a_change_is_detected_and_the_recent_model_follows_it():
    other = BernoulliModel(TRUTH.weights, 1.0 - TRUTH.topics[:, [0, 2, 1, 3]])
    learner = taught(new(), cut(draw(2000), 50))
    assert learner.drifts_since is None
    taught(learner, cut(draw(1000, seed=1, truth=other), 50))
    assert 1900 <= learner.drifts_since <= 2500
    assert [event.n_docs for event in learner.events] == [learner.drifts_since]


def test_a_checkpoint_of_a_file_is_resumed_bit_for_bit(tmp_path):
    path = tmp_path / "visits.jsonl"
    rows = (
        [name for name, there in zip(NAMES, row, strict=True) if there] for row in draw(300).present
    )
    path.write_text("".join(f"{json.dumps({'words': row})}\n" for row in rows))

    def learn(checkpoint, n_blocks=None):
        learner, done = checkpoint.topics, checkpoint.position or 0
        blocks = list(read(path, tokens="words", block=50, empty=True))
        for block in blocks[done // 50 :][:n_blocks]:
            learner.learn(Vectors([[name in row for name in NAMES] for row in block.texts]))
            done += len(block)
        return Checkpoint(learner, position=done)

    stopped = learn(Checkpoint(new()), 3)
    resumed = load_checkpoint(save(stopped, tmp_path / "m"))
    assert (resumed.position, type(resumed.topics)) == (150, BernoulliLeader)
    assert same_state(learn(resumed).to_state(), learn(Checkpoint(new())).to_state())
    before = taught(new(), cut(draw(300), 50)[:3])
    assert same_state(load(tmp_path / "m").to_state(), before.to_state())


def test_shards_are_merged():
    shards = [taught(new(seed=seed), cut(draw(1000, seed=seed), 50)) for seed in range(2)]
    merged = merge(*shards)
    assert (merged.n_docs, merged.sample.n_seen, len(merged.sample)) == (2000, 2000, 500)
    order = np.argsort(-merged.model.topics[:, 0])
    assert np.abs(merged.model.topics[order] - TRUTH.topics).max() < 0.1


def test_its_classes_are_listed():
    model = taught(new(), cut(draw(2000), 50)).model
    shown = list_topics(
        Snapshot(model, Vocabulary(NAMES), Words(), 2000, 0, ("",) * model.n_topics), 2
    )
    words = [{word["word"] for word in topic["words"]} for topic in shown]
    assert sorted(words, key=min) == [{"goal", "late"}, {"rain", "wind"}]


def test_blocks_of_another_family_are_refused():
    with pytest.raises(TypeError, match=r"learn takes Vectors, got Documents$"):
        new().learn(Documents.empty(4))


@pytest.mark.parametrize("name", ["sample", "window"])
def test_samples_remember_the_blocks_of_a_family(name):
    kept = getattr(new(), name)
    for block in cut(draw(700), 30):
        assert kept.add(block).entered.n_words == 4
    assert (kept.n_seen, len(kept)) == (700, kept.capacity)
    loaded = type(kept).from_state(kept.to_state())
    assert (loaded.documents.present == kept.documents.present).all()
