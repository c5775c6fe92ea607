"""Requests: bodies read and checked, and the errors that answer those that are wrong."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from spectralleader.sources.files.times import EPOCH, parse_time
from spectralleader.text.tokens import Tokens, as_token
from spectralleader.text.words import Tokenizer

LONGEST_ID = 200  # characters
MOST_COUNT = 1_000_000  # of one token in a document
LAST = 2**35  # Unix seconds: the year 3058
TIMES = "times are Unix seconds or ISO 8601, one per document, or null"
decode_object = msgspec.json.Decoder(dict[str, Any]).decode
KINDS = ("texts", "tokens", "counts")
EXAMPLES = {
    "texts": '{"texts": ["rain and wind"]}',
    "tokens": '{"tokens": [["rain", "wind"]]}',
    "counts": '{"counts": [{"rain": 2, "wind": 1}]}',
}
TYPES: dict[str, type[Any]] = {"texts": str, "tokens": list, "counts": dict}


class Limits(NamedTuple):
    """What a client may ask for."""

    body: int = 4_000_000  # bytes of a request
    batch: int = 1000  # documents of a request
    words: int = 100_000  # characters of a text, tokens of a document
    requests: int = 64  # at the same time
    watchers: int = 16  # live pages at the same time
    waiting: int = 256  # requests at the same time that wait for the rest of their body
    held: int = 64_000_000  # bytes of such bodies, all together
    seconds: float = 30.0  # until headers must have come, and then a body
    head: int = 64 * 1024  # bytes of the request line and headers
    headers: int = 100


class RequestError(Exception):
    """A request that cannot be answered: the status, what is wrong and what to do."""

    def __init__(self, status: int, error: str, **headers: str) -> None:
        super().__init__(error)
        self.status, self.error = status, error
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def stopping() -> RequestError:
    """Return the error of a request that came while the service stops."""
    return RequestError(503, "the service stops; try again", Retry_After="2")


class CheckedBody(NamedTuple):
    """A validated body of a request."""

    documents: list[Any]  # as the model counts them: strings, or documents of tokens
    kind: str
    id: str | None
    times: list[str | None]


def read_body(
    body: bytes, words: Tokenizer, limits: Limits, extra: tuple[str, ...] = ()
) -> CheckedBody:
    """Return the documents of a body; they are those that the model counts.

    Raises
    ------
    RequestError
        With status 400 or 413.
    """
    kind = "tokens" if isinstance(words, Tokens) and words.split is None else "texts"
    found = parse_object(body)
    given = [name for name in KINDS if name in found]
    if len(given) != 1 or not isinstance(found[given[0]], list) or not found[given[0]]:
        raise RequestError(
            400, f"send one list of documents, not empty, as {' or '.join(KINDS)}: {example(kind)}"
        )
    if unknown := [name for name in found if name not in (*given, *extra)]:
        raise RequestError(400, f"{unknown[0]!r:.40} is not known; leave it out")
    [name] = given
    if (name == "texts") != (kind == "texts"):
        what = "words of texts" if kind == "texts" else "tokens"
        raise RequestError(400, f"this model counts {what}; send {example(kind)}")
    documents = found[name]
    if len(documents) > limits.batch:
        raise RequestError(
            413, f"{len(documents):,} documents are more than {limits.batch:,}; send fewer at once"
        )
    documents = [read_document(one, name, i, limits) for i, one in enumerate(documents)]
    id = found.get("id")
    if id is not None and not (isinstance(id, str) and 0 < len(id) <= LONGEST_ID):
        raise RequestError(400, f"the id must be a string of 1 to {LONGEST_ID} characters")
    return CheckedBody(documents, name, id, read_times(found.get("times"), len(documents)))


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the object that a body holds."""
    try:
        return decode_object(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(
            400,
            f"the body must be a JSON object in UTF-8 such as {EXAMPLES['texts']}, without NaN and "
            f"without half of a surrogate pair: {error}",
        ) from None


def example(kind: str) -> str:
    """Return bodies of a kind."""
    return EXAMPLES["texts"] if kind == "texts" else f"{EXAMPLES['tokens']} or {EXAMPLES['counts']}"


def read_document(document: Any, kind: str, i: int, limits: Limits) -> Any:
    """Return a document as it is learned; raise unless it is one of its kind, and not too long.

    Tokens follow the rules of files: integers are tokens too; null and "" are skipped.
    """
    if not isinstance(document, TYPES[kind]) or (kind == "texts" and not document.strip()):
        raise RequestError(
            400, f"document {i} is {document!r:.40}; such documents are sent as {EXAMPLES[kind]}"
        )
    if len(document) > limits.words:
        what = "characters" if kind == "texts" else "tokens"
        raise RequestError(
            413, f"document {i} has more than {limits.words:,} {what}; split it, or shorten it"
        )
    if kind == "texts":
        return document
    found = read_tokens(document, i) if kind == "tokens" else read_counts(document, i)
    if not found:
        raise RequestError(400, f"document {i} has no tokens; leave it out")
    return found


def read_tokens(document: list[Any], i: int) -> list[str]:
    """Return the tokens of a list."""
    return [token for one in document if (token := read_token(one, i))]


def read_counts(document: dict[str, Any], i: int) -> dict[str, int]:
    """Return the tokens of an object that have a count."""
    found = {}
    for token, count in document.items():
        if count is None:
            continue
        if type(count) not in (int, float) or not 1 <= count <= MOST_COUNT or count % 1:
            raise RequestError(
                400, f"document {i} counts {token!r:.40} as {count!r:.40}; counts are integers "
                f"from 1 to {MOST_COUNT:,}; leave out what is not there",
            )  # fmt: skip
        if read_token(token, i):
            found[token] = int(count)
    return found


def read_token(token: Any, i: int) -> str:
    """Return a token as a string, "" for none."""
    try:
        return as_token(token, i)
    except ValueError as error:
        raise RequestError(400, str(error)) from None


def read_times(given: Any, n: int) -> list[str | None]:
    """Return times in ISO 8601, None where there is none."""
    if given is None:
        return [None] * n
    if not isinstance(given, list) or len(given) != n:
        raise RequestError(400, f"{TIMES}; there are {n} documents")
    return [None if time is None else read_time(time) for time in given]


def read_time(time: Any) -> str:
    """Return a time in ISO 8601."""
    found = parse_time(time) if isinstance(time, str) else None
    if type(time) in (int, float) and abs(time) < LAST:
        found = EPOCH + timedelta(seconds=time)
    if found is None:
        raise RequestError(400, f"{TIMES}; got {time!r:.40}")
    return found.isoformat()
