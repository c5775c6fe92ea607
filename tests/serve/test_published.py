"""What the learning thread publishes, and when."""

from spectralleader.jobs import LearnOptions, Source, run
from spectralleader.serve import service as module
from spectralleader.serve.service import Service
from tests.factories import texts


def test_a_step_is_published_as_one_value(tmp_path, monkeypatch):
    for wait, value in {"RENEW": 0, "LOOK_EVERY": 0, "SHARE": 0, "ENOUGH": 1}.items():
        monkeypatch.setattr(module, wait, value)  # everything is new at every step
    published = []

    class Noted(Service):
        def publish(self, **values):
            super().publish(**values)
            published.append(set(values))

    file = tmp_path / "t.txt"
    file.write_text("\n".join(texts(300)[0]) + "\n")
    service = Noted(tmp_path / "t.model")
    run(LearnOptions(Source.of(file, block=100), n_topics=2), service)
    steps = [values for values in published if "stepped" in values]
    assert len(steps) == 1 + 3  # before the first block, and after each
    of_learning = {"n_docs", "topics", "events", "losses", "latest", "surprise", "rate", "lag"}
    assert all(of_learning <= values for values in steps[1:])
    assert "points" in steps[-1]
    others = set().union(*(values for values in published if "stepped" not in values))
    assert others <= {"messages", "n_saved", "lag", "kind"}
    assert service.published.n_docs == service.published.topics.full.n_docs == 300
