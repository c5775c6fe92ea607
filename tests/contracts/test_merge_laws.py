"""Laws of merging over every sample; those of all learners are in `spectralleader.testing`."""

import numpy as np
import pytest

from spectralleader import LEARNERS, Documents, TopicModel, Unigram, load, merge, save
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.samples import SAMPLES
from spectralleader.testing.requirements import Maker
from tests.factories import documents, model, same_state

N_WORDS = 6
MERGED = [name for name, learner in LEARNERS.items() if hasattr(learner, "merge")]
REFUSED = [name for name in LEARNERS if name not in MERGED]
EXACT = ["spectral", "batch-em", "spectral-method", "unigram"]  # nothing left to chance


def make_sample(kind):
    return SAMPLES[kind](n_words=N_WORDS) if kind == "everything" else SAMPLES[kind](20)


def make_learner(name):
    return Maker(LEARNERS[name], n_topics=2).started(N_WORDS)


def taught(thing, seed=0, n_docs=30):
    teach = thing.add if hasattr(thing, "add") else thing.learn
    for block in documents(n_docs, N_WORDS, seed=seed).blocks(10):
        teach(block)
    return thing


@pytest.fixture(params=sorted(SAMPLES))
def make(request):
    return lambda: make_sample(request.param)


def test_an_empty_one_is_neutral(make):
    a = taught(make())
    assert same_state(merge(a, make()).to_state(), a.to_state())
    assert same_state(merge(make(), a, make()).to_state(), a.to_state())
    assert same_state(merge(make(), make()).to_state(), make().to_state())


def test_merging_leaves_its_inputs_as_they_are(make):
    a, b = taught(make()), taught(make(), seed=1)
    before = [a.to_state(), b.to_state()]
    merged = merge(a, b)
    taught(merged, seed=2)
    assert same_state(before, [a.to_state(), b.to_state()])


def test_the_same_seed_gives_the_same(make):
    a, b, c = (taught(make(), seed) for seed in range(3))
    assert same_state(merge(a, b, c, seed=1).to_state(), merge(a, b, c, seed=1).to_state())


def test_what_is_merged_can_be_saved_goes_on_and_is_merged_again(make, tmp_path):
    a, b, c = (taught(make(), seed) for seed in range(3))
    merged = merge(a, b)
    loaded = load(save(merged, tmp_path / "merged"))
    for one in (merged, loaded):
        taught(one, seed=3)
    assert same_state(loaded.to_state(), merged.to_state())
    assert len(taught(merge(merged, c), seed=4)) > 0


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_documents_seen_add_up(kind):
    a, b, c = (taught(make_sample(kind), seed, n) for seed, n in enumerate((30, 7, 18)))
    for merged in (merge(a, b, c), merge(merge(a, b), c)):
        assert merged.n_seen == 55
        assert len(merged) == (55 if kind == "everything" else 20)


@pytest.mark.parametrize("name", EXACT)
def test_while_all_is_remembered_merging_is_learning_the_whole_in_any_order(name):
    a, b = (taught(make_learner(name), seed) for seed in range(2))
    whole = taught(taught(make_learner(name), seed=0), seed=1)
    for merged in (merge(a, b), merge(b, a)):
        found = getattr(merged, "predictive", merged.model)  # as estimated, not shrunk
        wanted = getattr(whole, "predictive", whole.model)
        aligned = in_order(found, wanted)
        # the same sums, added up in another order
        assert np.abs(aligned.topics - wanted.topics).max() < 1e-7
        assert np.abs(aligned.weights - wanted.weights).max() < 1e-7


def test_counts_add_exactly():
    a, b = (taught(Unigram(1, n_words=N_WORDS), seed) for seed in range(2))
    whole = taught(taught(Unigram(1, n_words=N_WORDS), seed=0), seed=1)
    assert same_state(merge(a, b).to_state(), whole.to_state())
    assert same_state(merge(b, a).to_state(), whole.to_state())


@pytest.mark.parametrize("name", REFUSED)
def test_a_learner_without_a_sound_merge_says_which_have_one(name):
    a, b = make_learner(name), make_learner(name)
    with pytest.raises(ValueError, match="hedged, spectral, "):
        merge(a, b)


def test_stepwise_em_averages_topics_that_correspond_and_refuses_others():
    truth = model(2, N_WORDS)
    parts = [LEARNERS["stepwise-em"](2, n_words=N_WORDS, start=truth) for _ in range(2)]
    for seed, part in enumerate(parts):
        for block in truth.sample(2000, 20, seed=seed)[0].blocks(50):
            part.learn(block)
    flipped = LEARNERS["stepwise-em"](
        2, n_words=N_WORDS, start=TopicModel(truth.weights[::-1], truth.topics[::-1])
    )
    for block in truth.sample(2000, 20, seed=1)[0].blocks(50):
        flipped.learn(block)
    merged = merge(parts[0], flipped)
    assert merged.n_updates == 80
    assert np.abs(merged.model.topics - truth.topics).max() < 0.03  # 3 sigma of 400 words and more
    assert merged.model.topics == pytest.approx(merge(*parts).model.topics, abs=1e-9)
    start = {"start": TopicModel.uniform(2, N_WORDS), "step_offset": 1.0}
    a, b = (LEARNERS["stepwise-em"](2, n_words=N_WORDS, **start) for _ in range(2))
    a.learn(Documents.from_tokens([[0, 1]] * 9, N_WORDS))
    b.learn(Documents.from_tokens([[2, 3]] * 9, N_WORDS))
    with pytest.raises(ValueError, match="found different topics"):
        merge(a, b)
