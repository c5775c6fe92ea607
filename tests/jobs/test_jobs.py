import csv
import io
import json
import re
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from spectralleader import TextTopics, TopicModel, Unigram, Vocabulary, Words, load, save
from spectralleader.jobs import Progress, Source, describe, evaluate, evaluating, learn, predict
from spectralleader.jobs.evaluating import Evaluation
from spectralleader.jobs.model_files import name_topics
from spectralleader.jobs.options import LearnOptions
from spectralleader.jobs.predicting import WatchedTopics, predict_blocks, write
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.hedged.alarm import Alarm
from spectralleader.learners.learner_base import Fixed
from spectralleader.models import TopicTree
from spectralleader.reading.diagnosis import Diagnosis, Spectrum
from spectralleader.reading.findings import (
    Readable,
    describe_collapse,
    describe_event,
    describe_fit,
    describe_number,
    describe_use,
    printable,
)
from spectralleader.reading.snapshot import list_topics
from spectralleader.reading.timeline import Timeline
from spectralleader.sources import read
from spectralleader.sources.files.text_block import TextBlock
from study.judging import Block, judge, log_loss
from tests.factories import TOPIC_WORDS, same_state, texts, without_position, write_csv

MORE = "if the documents have more subjects, learn more of them, or in random order."


@pytest.fixture
def file(tmp_path):
    return write_csv(tmp_path / "news.csv")


class Notes(Progress):
    def __init__(self):
        self.lines, self.counts, self.steps = [], [], []

    def say(self, line):
        self.lines.append(line)

    def counted(self, n_docs):
        self.counts.append(n_docs)

    def stepped(self, result):
        if not isinstance(result, Evaluation):
            self.steps.append(result.topics.n_docs)


def test_learning_a_file_is_learning_its_texts(file):
    notes = Notes()
    result = learn(file, n_topics=3, vocabulary=20, seed=4, progress=notes)
    written, _ = texts()
    words = Words(stop_words="english")
    vocabulary = Vocabulary.most_frequent(written, 20, words=words)
    topics = TextTopics(3, vocabulary=vocabulary, words=words, seed=4)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    topics.learn(written, [start + timedelta(seconds=i) for i in range(300)])
    assert same_state(without_position(result.topics), topics.to_state())
    assert notes.steps == [100, 200, 300]
    assert notes.counts == [300]
    assert "guessed: text from the column 'text'" in notes.lines


def test_listed_words_have_their_own_probabilities(monkeypatch):
    topics = TextTopics(2, vocabulary=["day", "rain", "goal"])
    model = TopicModel([0.5, 0.5], [[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]])
    monkeypatch.setattr(TextTopics, "model", model)
    words = list_topics(topics.at(), 2)[0]["words"]
    assert [tuple(one.values()) for one in words] == [("rain", 0.4), ("day", 0.5)]


def test_the_loss_is_that_of_the_prequential_loop_but_for_the_first_block(file):
    result = learn(Source((str(file),), block=50), n_topics=3)
    topics = TextTopics(3, vocabulary=result.topics.vocabulary, block_size=50)
    blocks = [Block(topics.vectoriser.count_known(block.texts)) for block in read(file, block=50)]
    for learner, found in (
        (topics.learner, result.losses),
        (Unigram(1, n_words=24), result.unigram_losses),
    ):
        losses = [step["L1"] for step in judge(learner, blocks, {"L1": log_loss})]
        assert found.mean_loss == pytest.approx(np.mean(losses[1:]), rel=1e-12)
    n_words = sum(block.documents.lengths.sum() for block in blocks[1:])
    expected = np.exp(result.losses.mean_loss * 250 / n_words)
    assert result.losses.perplexity == pytest.approx(expected, rel=1e-12)
    assert result.mean_loss < result.unigram_losses.mean_loss


def test_a_growing_vocabulary_is_judged_and_settles(file):
    result = learn(Source((str(file),), block=20), n_topics=2, vocabulary="grow:8")
    assert result.topics.vocabulary.grows
    assert result.topics.vocabulary.n_words <= 10
    assert np.isfinite(result.unigram_losses.mean_loss)
    assert np.isfinite(result.mean_loss)


def test_what_was_learned_is_saved(file, tmp_path):
    result = learn(file, n_topics=3, save=tmp_path / "m")
    assert result.saved == tmp_path / "m"
    assert same_state(load(tmp_path / "m").to_state(), result.topics.to_state())
    with pytest.raises(ValueError, match="does not exist"):
        learn(file, save=tmp_path / "no" / "m")


def test_an_offline_learner_is_not_judged_on_the_way(file):
    result = learn(file, n_topics=3, learner="spectral-method")
    assert result.mean_loss is None
    assert result.summary()["L1"] is None
    assert result.is_useful


@pytest.fixture
def listening():
    """Ctrl-C is not ignored, as it is in background jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_the_pass_after_a_whole_step_and_saves(listening, file, tmp_path):
    class Impatient(Progress):
        def stepped(self, result):
            if result.topics.n_docs == 200:
                signal.raise_signal(signal.SIGINT)

    result = learn(file, n_topics=3, save=tmp_path / "m", progress=Impatient())
    assert result.stopped
    assert load(tmp_path / "m").n_docs == 200


def test_a_vocabulary_is_chosen_as_wished(file, tmp_path):
    source, pipe = Source((str(file),)), Source(("-",))

    def choose(wish, source=source):
        options = LearnOptions(source, vocabulary=wish, stop_words="none")
        return options.choose_vocabulary(options.words, Progress())

    listed = tmp_path / "words.txt"
    listed.write_text("rain\ngoal\n")
    assert list(choose(str(listed))) == ["rain", "goal"]
    fixed = choose("7")
    assert (fixed.n_words, fixed.grows) == (7, False)
    assert choose("grow:9").max_words == 9
    for one in (source, pipe):
        for wish in ("grow", None):
            growing = choose(wish, one)
            assert growing.grows
            assert (growing.n_words, growing.max_words, growing.min_count) == (0, 50_000, 2)
    with pytest.raises(ValueError, match=r"standard input can only be read once.*grow:500"):
        choose("500", pipe)
    with pytest.raises(ValueError, match="got 'grow:many'"):
        choose("grow:many")


def test_predictions_are_those_of_the_library(file):
    topics = learn(file, n_topics=3).topics
    written, _ = texts()
    found = list(predict(topics, Source((str(file),), block=128)))
    assert np.array_equal(np.concatenate([p.posterior for p in found]), topics.posterior(written))
    assert np.array_equal(np.concatenate([p.log_prob for p in found]), topics.log_prob(written))
    assert [row["line"] for p in found for row in p.rows()] == list(range(2, 302))


def test_a_document_without_known_words_has_no_topic(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv"), n_topics=3).topics
    topics.name(int(topics.model.weights.argmax()), "largest")
    new = tmp_path / "new.csv"
    new.write_text("text\nrain and wind\nunheard of\n")
    for options in ({}, {"n_best": 2}):
        with Source((str(new),), block=9).open() as reader:
            [prediction] = predict_blocks(topics, reader, **options)
        known, unknown = prediction.rows()
        assert known["topic"] is not None
        assert known["probability"] > 0.5
        empty = {"topic": None, "name": None, "probability": None, "known_words": 0}
        assert {name: unknown[name] for name in empty} == empty
        if options:
            assert (unknown["best"], unknown["probabilities"]) == ([None, None], [None, None])
        else:
            expected = topics.model.weights.round(4).tolist()
            assert unknown["probabilities"] == pytest.approx(expected)
    out = io.StringIO()
    assert write([prediction], out) == 2
    assert out.getvalue().splitlines()[2].endswith(",,,,,")  # p_value and two pairs


def test_predictions_are_written_alike_as_csv_and_json(file):
    topics = learn(file, n_topics=3).topics
    as_csv, as_json = io.StringIO(), io.StringIO()
    assert write(predict(topics, file), as_csv) == write(predict(topics, file), as_json, "jsonl")
    rows = list(csv.DictReader(io.StringIO(as_csv.getvalue())))
    objects = [json.loads(line) for line in as_json.getvalue().splitlines()]
    assert len(rows) == len(objects) == 300
    for row, one in zip(rows, objects, strict=True):
        probabilities = [float(row.pop(f"p{k}")) for k in (1, 2, 3)]
        assert probabilities == one.pop("probabilities")
        assert max(probabilities) == one["probability"] == probabilities[one["topic"] - 1]
        assert {name: str(value) for name, value in one.items()} == row
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        write(predict(topics, file), as_csv, "xml")


def test_a_model_that_is_watched_is_loaded_when_it_is_renewed(file, tmp_path):
    saved, notes, output = tmp_path / "m", [], io.StringIO()
    topics = TextTopics(2, learner="stepwise-em", vocabulary=["rain", "wind", "goal", "late"])
    topics.learn(["rain wind"] * 3)
    save(topics, saved)

    class Notes(Progress):
        def say(self, line):
            notes.append(line)

    def blocks():
        yield TextBlock.of(["rain"])
        yield TextBlock.of(["rain"])
        topics.learn(["late goal"] * 5)
        topics.name(0, "weather")
        save(topics, saved)
        yield TextBlock.of(["rain"])
        saved.write_bytes(b"damaged")
        yield TextBlock.of(["rain"])
        yield TextBlock.of(["rain"])
        save(topics, saved)
        yield TextBlock.of(["rain"])
        save(TextTopics(3, learner="stepwise-em", vocabulary=["rain"]), saved)
        yield TextBlock.of(["rain"])

    found = predict_blocks(WatchedTopics(saved, Notes()), blocks())
    with pytest.raises(ValueError, match="replaced by one with another number of topics"):
        write(found, output)
    header, first, second, *others = list(csv.reader(io.StringIO(output.getvalue())))
    assert first == second
    assert {tuple(row) for row in others} == {tuple(others[0])}
    assert others[0] != first
    assert len(others) == 4
    assert {len(row) for row in (header, first, *others)} == {len(header)}  # no column of names
    assert [line.split(": ")[-1] for line in notes] == [
        "8 documents learned",
        notes[1].split(": ")[-1],
        "8 documents learned",
        "0 documents learned",
    ]
    assert "predicting with the previous topics" in notes[1]


def test_a_model_is_described_with_typical_documents_and_findings(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 2000), n_topics=3).topics
    found = describe(topics.read(), n_words=8, n_typical=2)
    for topic in found.topics:
        own = {word["word"] for word in topic["words"]}
        assert sorted(own) in [sorted(words) for words in TOPIC_WORDS]
        written = [document["text"] for document in topic["typical"]]
        assert len(written) == len(set(written)) == 2
        assert all(set(text.split()) <= own for text in written)
        assert all(document["time"].startswith("2020-01-01T00:") for document in topic["latest"])
    fits, used, number = found.findings()
    assert re.search(r"0\.\d+ or more \(drawn from the model: \d+%\)", fits)
    assert fits.startswith("The single-topic assumption fits:")
    assert used == "All 3 topics are in use."
    assert number == (
        "The spectrum suggests 3 topics: after 3 eigenvalues of word pairs only noise is left."
    )
    assert json.loads(json.dumps(found.summary()))["diagnosis"]["n_docs"] == 2000


def test_a_model_is_described_at_a_level(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 900), n_topics=8).topics
    topics.name(1, "the second", level=3)
    found = describe(topics.read(), level=3)
    assert [topic["name"] for topic in found.topics] == [None, "the second", None]
    assert found.level[:2] == (3, 8)
    assert found.level.price > 0


def test_recent_topics_are_described_at_the_level_of_all_topics(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 3000), n_topics="auto").topics
    n = topics.level()
    found = describe(topics.read(recent=True))
    assert len(found.topics) == n < 32
    assert found.level[:2] == (n, 32)
    assert found.level.is_default
    recent, own = topics.at("all", recent=True).model, topics.tree()
    assert found.level.price == round(TopicTree.priced(recent, own.pairs).lost(n), 4)
    assert found.level.price != round(own.lost(n), 4)  # that of the topics of all documents
    assert found.findings()[2].startswith(f"{n} topics are suggested: they keep ")
    merged = describe(topics.read(recent=True), level=5)
    assert (len(merged.topics), merged.level.is_default) == (5, False)
    assert describe(topics.read(recent=True), level="all").level is None


def test_without_texts_typical_documents_are_words(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 300), n_topics=3, keep_texts=False).topics
    found = describe(topics.read())
    assert isinstance(found.topics[0]["typical"][0], str)
    assert found.trends is not None


def test_texts_are_shown_in_one_line_that_a_terminal_does_not_obey():
    assert printable("red: \x1b[31m\n and\tgreen\u202e") == "red: [31m and green"


def test_the_last_documents_are_described_apart_and_what_happened_is_told(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 3000), n_topics=3).topics
    found = describe(topics.read(recent=True))
    assert found.n_recent == len(topics.learner.window) == 2000
    assert found.summary()["of_the_last"] == 2000
    assert found.history == [
        "Topics are provisional: until 16,000 documents with known words are learned (so far "
        "3,000), they may be replaced by better ones and renumbered."
    ]
    refit = topics.learner._refit
    refit.events = [Event(20_000 + i, EventKind.RESTARTED, (1,), 0.06) for i in range(7)]
    refit.schedule.n_raced = 16_000
    topics.learner._alarm = Alarm()
    bets = topics.learner._alarm.bets
    bets.is_alarmed, bets.alarmed_since = True, 2900
    topics._reading = None  # of before
    earlier, first, *_, drift = describe(topics.read()).history
    assert earlier == "2 earlier events are not shown."
    assert first == (
        "After 20,002 documents (about 1 Jan 2020 00:49) topic 2, which was unused, was "
        "re-initialised; 6% of the remembered documents changed their topic."
    )
    assert drift.startswith("The stream has changed since document 2,901 (about 1 Jan ")
    at_one = describe(topics.read(), level=1).history
    assert " an unused part of topic 1 was re-initialised; 6%" in at_one[1]
    timeline = Timeline(n_buckets=2)
    event = Event(70_000, EventKind.REPLACED, (0, 1, 2), 0.25)
    replaced = describe_event(event, timeline)
    assert replaced.startswith("After 70,000 documents 3 topics were replaced by a newcomer; 25%")
    timeline.add(["a", "b"], np.array([0.0, 1637712000.0]), numbers=np.arange(2))
    assert " documents (about " in describe_event(event, timeline)
    for moved, sentence in (
        (0.0, "no documents moved."),
        (0.004, "less than 1% of the remembered documents changed their topic."),
    ):
        assert describe_event(replace(event, moved=moved), timeline).endswith(f"; {sentence}")


def test_a_learner_without_a_window_has_no_recent_topics(file):
    with pytest.raises(ValueError, match=r"the learner 'unigram' has no recent topics; .* hedged"):
        describe(learn(file, n_topics=1, learner="unigram").topics.read(recent=True))


def test_documents_that_are_all_equal_leave_nothing_to_judge(tmp_path):
    path = tmp_path / "equal.txt"
    path.write_text("rain wind snow storm\n" * 200)
    fits, used, number = describe(learn(path, n_topics=3).topics.read()).findings()
    assert fits.startswith("The single-topic assumption cannot be judged:")
    assert used == "All 3 topics are equal: learn other documents, or use -k 1."
    assert number.startswith("The documents show no clear topics: ")


def test_unused_topics_are_counted_and_fewer_are_recommended(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 400), n_topics=12).topics
    n = topics.model.n_used
    assert 3 <= n < 12
    assert topics.learner.info.n_used == n
    assert (topics.model.weights[~topics.model.used] == 0).all()
    found = describe(topics.read())
    assert [topic["unused"] for topic in found.topics] == (~topics.model.used).tolist()
    first, fits, *_, number = found.findings()
    assert first == (
        f"{n} of 12 topics are in use: use {n} or fewer (-k {n}, or --level {n} for this model); "
        f"{MORE}"
    )
    assert fits.startswith("The single-topic assumption ")
    assert number.endswith("only noise is left. Use -k 3, or --level 3 for this model.")
    assert sum("in use" in line for line in found.findings()) == 1
    assert describe(topics.read(), level=3).findings()[1] == "All 3 topics are in use."
    assert describe(topics.read(), level=2).findings()[2].endswith(" Use --level 3.")
    recent = describe(topics.read(recent=True)).findings()[-1]
    assert recent.endswith(" Use -k 3, or --level 3 for this model.")


def test_a_model_to_be_merged_has_one_recommendation_at_every_level(tmp_path):
    topics = learn(write_csv(tmp_path / "news.csv", 900), n_topics="auto").topics
    n = topics.tree().suggested
    for level, how in ((None, ""), ("all", " (--level auto)"), (5, " (--level auto)")):
        number = describe(topics.read(), level=level).findings()[-1]
        assert re.match(rf"{n} topics are suggested{re.escape(how)}: they keep [89]\d% ", number)
        assert number.endswith(" The spectrum suggests the same number.")


READ_20 = Readable(20, 20, 20)


def diagnosis_of(eigenvalues, fit=1.0, length=8.0):
    spectrum = Spectrum(np.array(eigenvalues), 1.0)
    return Diagnosis(9, 0.5, 0.5, 0.6 * fit, 0.6, spectrum, length)


@pytest.mark.parametrize(
    ("eigenvalues", "fit", "shown", "advice"),
    [
        ([9, 0.9], 1.0, READ_20, "Learn more or longer documents."),
        ([9, 2, 1.5, 0.9], 1.0, READ_20, "To compare numbers, run spectralleader evaluate -k."),
        ([9, 2, 1.5, 0.9], 1.3, READ_20, "Learn more documents, or use fewer topics."),
        (
            *([9, 2, 1.5, 0.9], 1.3, READ_20._replace(n_used=5)),
            "Learn more documents, or use fewer topics.",
        ),
        ([9, 2, 0.9], 1.0, READ_20._replace(n_used=5), "Use -k 2, or --level 2 for this model."),
        ([9, 4, 3, 0.9], 1.0, Readable(2, 2, 2), "Use -k 3."),
        ([9, 4, 3, 0.9], 1.0, Readable(3, 3, 3), "only noise is left."),
        ([9, 4, 3, 0.9], 1.0, Readable(2, 2, 9, is_merged=True), "Use --level 3."),
        ([9, 2, 1.5, 0.9], 1.0, Readable(3, 1, 3), "run spectralleader evaluate -k."),
    ],
)
def test_one_number_of_topics_is_recommended(eigenvalues, fit, shown, advice):
    assert describe_number(diagnosis_of(eigenvalues, fit), shown).endswith(advice)


def test_documents_of_two_words_have_no_triples_and_their_topics_are_still_recommended(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("rain wind\nsnow wind\nrain snow\ngoal ball\ngoal team\nball team\n" * 100)
    found = describe(learn(path, n_topics=2).topics.read())
    assert found.findings()[1:] == [
        "All 2 topics are in use.",
        "The spectrum suggests 2 topics: after 2 eigenvalues of word pairs only noise is left.",
    ]


def test_small_topics_are_listed_beside_unused_ones():
    some = READ_20._replace(n_used=19)
    assert describe_collapse(some)[0].startswith("19 of 20 topics are in use: use 19 or fewer ")
    one = describe_collapse(Readable(2, 1, 2))
    assert one == [f"1 of 2 topics is in use: use -k 1; {MORE}"]
    assert describe_use(some, [3, 4]) == [
        "Small topics (less than a tenth of an even share): 3, 4."
    ]
    assert describe_use(some, []) == describe_collapse(READ_20) == []
    [listed] = describe_use(READ_20, list(range(1, 13)))
    assert listed.startswith("All 20 topics are in use. Small topics ")
    assert listed.endswith(": 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more.")
    assert describe_use(Readable(1, 1, 1), []) == ["The one topic is in use."]


@pytest.mark.parametrize(
    ("fit", "length", "verdict"),
    [
        (0.9, 8, "fits:"),
        (0.6, 8, "fits roughly:"),
        (0.4, 8, "is doubtful:"),
        (0.9, 200, "cannot be judged by documents of this length:"),
        (0.6, 200, "is doubtful:"),
        (1.3, 200, "cannot be judged, because topics overfit single documents:"),
    ],
)
def test_halves_of_long_documents_do_not_confirm_the_single_topic_assumption(fit, length, verdict):
    told = describe_fit(diagnosis_of([9, 2, 0.9], fit, length))
    assert told.startswith(f"The single-topic assumption {verdict}")
    assert ("a median of 200 known words" in told) == (length == 200)
    assert ("use predict --shares" in told) == (length == 200 or "doubtful" in verdict)


def test_without_a_memory_nothing_is_diagnosed_but_unused_topics_are(file):
    fixed = Fixed(TopicModel([0.995, 0.005], [[0.5, 0.5], [0.9, 0.1]]))
    used, nothing = describe(
        TextTopics(learner=fixed, vocabulary=["rain", "goal"]).read()
    ).findings()
    assert nothing.startswith("No diagnosis: ")
    assert used == f"1 of 2 topics is in use: use -k 1; {MORE}"
    forgetful = describe(learn(file, n_topics=3, learner="stepwise-em").topics.read())
    assert forgetful.findings() == [
        "No diagnosis: the learner stepwise-em remembers no documents with two or more known words."
    ]
    assert len(forgetful.topics[0]["typical"]) == 3  # the timeline has them
    assert forgetful.summary()["diagnosis"] is None


def test_learners_are_judged_side_by_side_as_alone(tmp_path):
    file = write_csv(tmp_path / "news.csv", 900)
    names = ("spectral", "stepwise-em", "unigram")
    result = evaluate(Source((str(file),), block=30), learners=names, n_topics=3)
    for name in names:
        alone = learn(Source((str(file),), block=30), learner=name, n_topics=3, vocabulary=5000)
        assert result.contenders[name].losses.mean_loss == pytest.approx(alone.mean_loss, rel=1e-12)
    summary = json.loads(json.dumps(result.summary()))["learners"]
    assert summary["spectral"]["accuracy"] > 0.8  # a third by chance
    assert summary["spectral"]["nmi"] > 0.5
    assert summary["unigram"]["nmi"] == 0.0
    assert [step for step, losses in result.curve if "spectral" in losses] == list(range(2, 31))


def test_an_evaluation_without_labels_has_no_accuracy(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(texts()[0]))
    result = evaluate(file, learners=["unigram"], vocabulary="grow:10")
    assert result.summary()["learners"]["unigram"]["accuracy"] is None
    assert result.n_docs == 300
    with pytest.raises(ValueError, match="unknown learner 'nope'"):
        evaluate(file, learners=["nope"])


def test_the_curve_of_a_long_evaluation_is_thinned(file, monkeypatch):
    monkeypatch.setattr("spectralleader.jobs.evaluating.MOST_POINTS", 10)
    result = evaluate(Source((str(file),), block=5), learners=["unigram"], n_topics=1)
    assert result.n_steps == 60
    assert [step for step, _ in result.curve] == list(range(8, 61, 8))


def test_numbers_of_topics_are_judged_side_by_side_on_held_out_documents(tmp_path):
    file = write_csv(tmp_path / "news.csv", 900)
    result = evaluate(file, learners=["stepwise-em"], n_topics=[1, 3, 6])
    found = result.summary()["learners"]
    assert [one["topics"] for one in found.values()] == [1, 3, 6]
    assert result.n_docs == 810
    assert len(result.held_out.values) == 90
    one, three, _ = found.values()
    assert three["L1"] < one["L1"]
    assert three["coherence"] > one["coherence"] + 0.1
    assert one["diversity"] == 1.0
    assert one["unused_topics"] == 0


def test_held_out_documents_are_bounded(file, monkeypatch):
    monkeypatch.setattr(evaluating, "MOST_HELD_OUT", 5)
    source = Source((str(file),), block=7)
    result = evaluate(source, learners=["unigram"], n_topics=[1, 2])
    assert result.n_docs == 270
    assert result.held_out.n_added == 30
    written, _ = texts()
    assert result.held_out.values == [written[i] for i in range(79, 300, 80)]


def test_a_topic_that_is_not_there_gets_no_name(tmp_path):
    learn(write_csv(tmp_path / "news.csv", 200), n_topics=3, save=tmp_path / "m.sl")
    with pytest.raises(ValueError, match="no topic 9; topics are numbered 1 to 2"):
        name_topics(tmp_path / "m.sl", {8: "sport"}, level=2)


def test_kept_columns_never_take_the_place_of_ours(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,topic,p1,id\nrain and wind,x,y,z\n")
    source = Source.of(path, text="text", keep=("topic", "p1", "id"))
    topics = learn(write_csv(tmp_path / "news.csv", 200), n_topics=2).topics
    [prediction] = predict(topics, source)
    [row] = prediction.rows()
    assert (row["input_topic"], row["input_p1"], row["id"]) == ("x", "y", "z")
    assert row["topic"] in (1, 2)


def test_a_file_in_another_encoding_says_so(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(b"text\n" + b"caf\xe9 in M\xfcnchen\n" * 50)
    with pytest.raises(ValueError, match=r"no valid rows; 50 rows: not UTF-8.*--encoding"):
        learn(path, vocabulary=9)
    found = learn(path)
    assert not found.is_useful
    [problem] = found.reader.problems.summary()
    assert re.match(r"50 rows: not UTF-8.*--encoding", problem)
