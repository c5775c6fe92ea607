import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from spectralleader import Documents
from spectralleader.documents.views import Scattered
from tests.factories import blocks


@given(blocks())
def test_documents_are_gathered_as_they_lay(block):
    lying = Scattered.of(block)
    assert lying.gather(np.arange(block.n_docs)) == block
    backwards = np.arange(block.n_docs)[::-1].copy()
    assert lying.gather(backwards) == block.take(backwards)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_are_read_only_as_the_original_is(copied):
    lying = Scattered.of(Documents.from_tokens([[0, 1], [1]], n_words=2))
    found = copied(lying)
    for one, other in zip(found, lying, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not found.words.flags.writeable
    assert not found.counts.flags.writeable
