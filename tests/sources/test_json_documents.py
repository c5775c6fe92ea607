"""Whatever a JSON document holds is learned as it was sent: files, posts, Redis and Kafka."""

import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spectralleader import Tokens, Words
from spectralleader.serve.inbox import Inbox, open_inbox
from spectralleader.serve.messages import Documents, read_body
from spectralleader.sources import SourceOptions, read
from spectralleader.sources.files import problems
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.live.decoding import MessageFormat, decode_messages, guess_format
from spectralleader.sources.live.protocol import MessageBatch

REPORTED = ["C:\\Windows", "DOMAIN\\user", "a\tb", "C:\\new", 'y":7,"inj', "\x1b[0m", '19" rack']
UNICODE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.sampled_from(REPORTED)
TEXTS = UNICODE.filter(lambda text: not text.isspace())
DOCUMENTS = st.lists(TEXTS, min_size=1) | st.dictionaries(UNICODE, st.integers(1, 99), min_size=1)
KEYS = UNICODE.filter(lambda key: "." not in key)
often = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def encodings_of(entry):
    """Different JSON for one object; a file may have any of them."""
    yield json.dumps(entry).encode()
    yield json.dumps(entry, ensure_ascii=False).encode()
    yield msgspec.json.encode(entry)


def texts_of_file(path, lines, **columns):
    path.write_bytes(b"\n".join(lines))
    with read(path, **columns) as reader:
        found = [text for block in reader for text in block.texts]
        assert reader.problems.counts == {}
    return found


def decode(format, payloads):
    """The texts of messages, and the problems of those that are invalid, by their order."""
    ids, found = [str(i) for i in range(len(payloads))], {}

    def log(kind, at, detail=""):
        found[int(at)] = kind

    block = decode_messages(format, "x", MessageBatch(ids, payloads, None), log)
    return block.texts, [found[at] for at in sorted(found)]


def texts_of_messages(kind, name, payloads, *, tokens):
    requested = SourceOptions(text=name, time="", label="", tokens=name if tokens else "")
    format, _ = guess_format(payloads, requested, "x")
    assert format == MessageFormat(kind, Columns((name,), tokens=tokens))
    texts, problems = decode(format, payloads)
    assert not problems
    return texts


@often
@given(st.lists(TEXTS, min_size=1, max_size=5), KEYS)
def test_texts_of_files_and_kafka_are_read_as_they_were_sent(tmp_path, texts, key):
    flat = [line for text in texts for line in encodings_of({"other": [text], key: text})]
    nested = [line for text in texts for line in encodings_of({"top": {key: text, "x": None}})]
    expected = [text for text in texts for _ in range(3)]
    path = tmp_path / "a.jsonl"
    for name, lines in ((key, flat), (f"top.{key}", nested)):
        assert texts_of_file(path, lines, text=name, tokens="", time="", label="") == expected
        assert texts_of_messages("json", name, lines, tokens=False) == expected


@often
@given(st.lists(DOCUMENTS, min_size=1, max_size=5))
def test_tokens_of_files_and_kafka_are_read_as_they_were_sent(tmp_path, documents):
    expected = [document for document in documents for _ in range(3)]
    path = tmp_path / "a.jsonl"
    for name, wrap in (
        ("x", lambda one: {"x": one}),
        ("a.b.x", lambda one: {"a": {"b": {"x": one}}}),
    ):
        lines = [line for document in documents for line in encodings_of(wrap(document))]
        assert texts_of_file(path, lines, tokens=name) == expected
        assert texts_of_messages("json", name, lines, tokens=True) == expected


@often
@given(st.lists(TEXTS, min_size=1, max_size=5), st.lists(DOCUMENTS, min_size=1, max_size=5))
def test_fields_of_redis_are_read_as_they_were_sent(texts, documents):
    for values, tokens in ((texts, False), (documents, True)):
        expected = [value for value in values for _ in range(3)]
        inside = [
            [b"user", b"7", b"payload", data]
            for value in values
            for data in encodings_of({"a": {"x": value}})
        ]
        assert texts_of_messages("fields", "payload.a.x", inside, tokens=tokens) == expected
    plain = [[b"text", text.encode()] for text in texts]
    assert texts_of_messages("fields", "text", plain, tokens=False) == texts
    whole = [[b"x", data] for document in documents for data in encodings_of(document)]
    expected = [document for document in documents for _ in range(3)]
    assert texts_of_messages("fields", "x", whole, tokens=True) == expected


@often
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=5), texts=st.lists(TEXTS, min_size=1))
def test_posted_documents_that_are_accepted_are_learned_as_they_were_sent(
    tmp_path, documents, texts
):
    bodies = [(f"{kind}s", "tokens", Tokens(), chosen) for kind, chosen in split(documents)]
    for kind, column, words, sent in [*bodies, ("texts", "text", Words(), texts)]:
        for data in encodings_of({kind: sent}):
            posted, _ = read_body(data, Documents, words, 1000)
            path = tmp_path / "t.inbox"
            path.unlink(missing_ok=True)
            inbox = Inbox(path)
            options = SourceOptions(tokens=column if column == "tokens" else None)
            with open_inbox(inbox, options, options.say) as reader:
                reader.open(None)
                inbox.add([{column: document} for document in posted], "id")
                found = next(reader).texts
            assert found == sent


def split(documents):
    lists = [document for document in documents if isinstance(document, list)]
    counts = [document for document in documents if isinstance(document, dict)]
    return [(kind, found) for kind, found in (("token", lists), ("count", counts)) if found]


@pytest.mark.parametrize(
    "line", [b'{"x": NaN}', b'{"x": "\\ud800"}', b'{"x": 1', b"[1]", b"1", b""]
)
def test_invalid_json_is_a_problem_of_its_message_alone(line):
    format = MessageFormat("json", Columns(("x",)))
    lines = [b'{"x": "a"}', line, b'\xef\xbb\xbf{"x": "b"}']  # a byte order mark is ignored
    assert decode(format, lines) == (["a", "b"], [problems.BROKEN_JSON])


def test_invalid_json_in_a_field_is_not_taken_for_a_missing_text():
    format = MessageFormat("fields", Columns(("payload.x",)))
    payloads = [[b"payload", value] for value in (b'{"x": "a"}', b'{"x": ', b"7", b'{"x": "\xff"}')]
    kinds = [problems.BROKEN_JSON, problems.NO_TEXT, problems.UNDECODABLE]
    assert decode(format, payloads) == (["a"], kinds)
