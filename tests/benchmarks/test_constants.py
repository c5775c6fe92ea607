"""The command that varies constants reads development streams only."""

import pytest

pytest.importorskip("sklearn")

from benchmarks import constants
from study.sources.corpora import DEVELOPMENT, role_of


def test_constants_are_varied_on_development_streams_only():
    corpora = {s.source[0] for s in constants.STREAMS if not callable(s.source)}
    assert {role_of(corpus) for corpus in corpora} == {DEVELOPMENT}
    with pytest.raises(ValueError, match="test corpus"):
        constants.text("news_headlines", 5, 500)


def test_every_variant_can_be_run():
    for which in range(len(constants.RUNS)):
        assert constants.run((which, 4, 0, 2))["L2"] > 0.0
