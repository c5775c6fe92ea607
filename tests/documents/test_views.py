import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from spectralleader import Documents
from spectralleader.documents import DocumentView
from tests.factories import blocks


@given(blocks())
def test_documents_are_gathered_as_they_lay(block):
    view = DocumentView.of(block)
    assert view.gather(np.arange(block.n_docs)) == block
    backwards = np.arange(block.n_docs)[::-1].copy()
    assert view.gather(backwards) == block.take(backwards)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_are_read_only_as_the_original_is(copied):
    view = DocumentView.of(Documents.from_tokens([[0, 1], [1]], n_words=2))
    found = copied(view)
    for one, other in zip(found, view, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not found.words.flags.writeable
    assert not found.counts.flags.writeable
