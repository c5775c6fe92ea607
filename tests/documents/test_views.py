import numpy as np
from hypothesis import given

from spectralleader.documents.views import Scattered
from tests.factories import blocks


@given(blocks())
def test_documents_are_gathered_as_they_lay(block):
    lying = Scattered.of(block)
    assert lying.gather(np.arange(block.n_docs)) == block
    backwards = np.arange(block.n_docs)[::-1].copy()
    assert lying.gather(backwards) == block.take(backwards)
