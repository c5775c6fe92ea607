"""A document's posterior, short or long, in a group of topics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.learners.hedged.groups import group, grouped, long_posterior, short_posterior

WORDS, COUNTS = np.array([0, 2, 3], np.int32), np.array([1.0, 5.0, 2.0])


@given(n_topics=st.integers(1, 8), safe=st.integers(1, 9))
def test_long_and_short_documents_have_the_posterior_that_is_meant(n_topics, safe):
    rng = np.random.default_rng(n_topics)
    table, background = rng.random((4, n_topics)), rng.random(4)
    slope, offset = rng.random((2, n_topics))
    prior = rng.dirichlet(np.ones(n_topics))
    joint = prior.copy()
    for word, count in zip(WORDS, COUNTS, strict=True):
        joint *= (slope * table[word] + offset * background[word]) ** count
    topics, row = grouped(table, background, slope, offset), np.empty_like(group(prior))
    document = (0, len(WORDS), WORDS, COUNTS, topics, group(prior), row)
    logs = np.zeros(n_topics)
    for posterior, more in ((short_posterior, ()), (long_posterior, (logs, float(safe)))):
        row[:] = 7.0
        assert posterior(*document, *more) == pytest.approx(np.log(joint.sum()))
        np.testing.assert_allclose(row[:n_topics], joint / joint.sum(), rtol=1e-9)
        assert not row[n_topics:].any()
        assert not logs.any()
