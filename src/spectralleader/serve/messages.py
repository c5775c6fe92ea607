"""Messages: the bodies of requests and answers; each class checks, and describes itself.

The limits of fields are those of `msgspec.Meta`, which validates requests by them, and from which
`routes` makes the description.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from spectralleader.learners.events import EventKind
from spectralleader.sources.files.times import EPOCH, parse_time
from spectralleader.text.tokens import Tokens
from spectralleader.text.words import Tokenizer

LAST = 2**35  # Unix seconds: the year 3058
LONGEST = 100_000  # characters of a text, tokens of a document
EXAMPLES = {
    "texts": '{"texts": ["rain and wind"]}',
    "tokens": '{"tokens": [["rain", "wind"]]}',
    "counts": '{"counts": [{"rain": 2, "wind": 1}]}',
}


class RequestError(Exception):
    """A request that cannot be answered: the status, what is wrong and what to do."""

    def __init__(self, status: int, error: str, **headers: str) -> None:
        super().__init__(error)
        self.status, self.error = status, error
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def try_again(status: int, error: str, seconds: int = 1) -> RequestError:
    """Return an error after which the same request may succeed."""
    return RequestError(status, f"{error}; try again", Retry_After=str(seconds))


def stopping() -> RequestError:
    """Return the error of a request that came while the service stops."""
    return try_again(503, "the service stops", 2)


# requests

SOME, SIZE = Meta(min_length=1), Meta(min_length=1, max_length=LONGEST)
Text = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST)]
# Ids and counts that went through a table with missing values come as 2.0.
Token = str | int | Annotated[float, Meta(multiple_of=1)] | None
Count = Annotated[float, Meta(ge=1, le=1_000_000, multiple_of=1)] | None
Time = Annotated[float, Meta(gt=-LAST, lt=LAST)] | str | None


class Documents(Struct, forbid_unknown_fields=True):
    """Documents in one of three forms; tokens that are null or "" are left out."""

    texts: Annotated[list[Text], SOME] | UnsetType = UNSET
    tokens: Annotated[list[Annotated[list[Token], SIZE]], SOME] | UnsetType = UNSET
    counts: Annotated[list[Annotated[dict[str, Count], SIZE]], SOME] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not UNSET for name in EXAMPLES) != 1:
            raise ValueError(f"send one list of documents, as {' or '.join(EXAMPLES)}")

    @property
    def form(self) -> str:
        """The form in which the documents are sent."""
        return next(name for name in EXAMPLES if getattr(self, name) is not UNSET)


class NewDocuments(Documents):
    """Documents to be learned.

    The client makes up the id: the same when the same documents are sent again. Times are Unix
    seconds or ISO 8601, one for each document; null is now.
    """

    id: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    times: list[Time] | None = None


def counts_tokens(words: Tokenizer) -> bool:
    """Return whether a model counts tokens that are sent as lists or counts, not texts."""
    return isinstance(words, Tokens) and words.split is None


DECODERS = {kind: msgspec.json.Decoder(kind).decode for kind in (Documents, NewDocuments)}


def read_body(
    body: bytes, kind: type[Documents], words: Tokenizer, most: int
) -> tuple[list[Any], Any]:
    """Return the documents of a body as the model counts them, and the whole message.

    Raises
    ------
    RequestError
        With status 400 or 413.
    """
    has_tokens = counts_tokens(words)
    example = f"{EXAMPLES['tokens']} or {EXAMPLES['counts']}" if has_tokens else EXAMPLES["texts"]
    try:
        message = DECODERS[kind](body)
    except (ValueError, RecursionError) as error:
        # an error may quote a field, which may be long
        what = f"the body is wrong: {error!s:.200}; send a JSON object such as {example}"
        is_json = isinstance(error, msgspec.ValidationError)
        how = "" if is_json else ", in UTF-8 and without half of a surrogate pair"
        raise RequestError(400, what + how) from None
    if (message.form == "texts") == has_tokens:
        what = "tokens" if has_tokens else "words of texts"
        raise RequestError(400, f"this model counts {what}; send {example}")
    documents = getattr(message, message.form)
    if len(documents) > most:
        raise RequestError(
            413, f"{len(documents):,} documents are more than {most:,}; send fewer at once"
        )
    if has_tokens:
        check_tokens(documents)
    return documents, message


def check_tokens(documents: list[Any]) -> None:
    """Raise unless each document has a token: null and "" are none."""
    try:
        lengths = Tokens().flatten(documents).lengths
    except ValueError as error:
        raise RequestError(400, str(error)) from None
    if not lengths.all():
        raise RequestError(400, f"document {lengths.argmin()} has no tokens; leave it out")


def read_times(times: list[float | str | None] | None, n: int) -> list[str]:
    """Return times in ISO 8601; those that are not given are now."""
    times = [None] * n if times is None else times
    if len(times) != n:
        raise RequestError(
            400, f"there are {n} documents and {len(times)} times; send one for each"
        )
    now = datetime.now(UTC)
    return [(now if time is None else read_time(time)).isoformat() for time in times]


def read_time(time: float | str) -> datetime:
    """Return a time."""
    moment = parse_time(time) if isinstance(time, str) else EPOCH + timedelta(seconds=time)
    if moment is None:
        raise RequestError(400, f"times are Unix seconds, ISO 8601 or null; got {time!r:.40}")
    return moment


# answers

Whole = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Word(Struct):
    """A word of a topic."""

    word: str
    probability: Share


class Topic(Struct):
    """A topic; `unused` if almost no document has it, so that its words mean nothing."""

    topic: Whole
    name: str | None
    weight: Share
    unused: bool
    words: list[Word]


class Topics(Struct):
    """The topics of a level."""

    documents: Whole
    level: Whole
    topics: list[Topic]


class TrendRow(Struct):
    """The share of a topic in an interval.

    Its start is in ISO 8601; without times, it is the number of its first document.
    """

    time: str
    topic: Whole
    share: Share
    error: float
    documents: Whole


class Trends(Struct):
    """The shares of all topics of a level."""

    level: Whole
    trends: list[TrendRow]


class TopicOverTime(Topic):
    """A topic and its share over time."""

    trend: list[TrendRow]


class Change(Struct, frozen=True):
    """A change of topics or of the stream; of the stream, with words that are more frequent."""

    documents: Whole
    kind: EventKind
    topics: list[Whole]
    moved: float
    words: list[str]


class SkippedRow(Struct, frozen=True):
    """Why documents were skipped, how many since the start, and the place of the last one."""

    reason: str
    documents: Whole
    last: str


class Events(Struct, frozen=True):
    """What happened; `drifts_since` counts the documents before the drift, null without one."""

    events: list[Change]
    drifts_since: Whole | None
    findings: list[str]
    skipped: list[SkippedRow] = []


class Classified(Struct):
    """A document: all but `known_words` is null without known words.

    `p_value` is the share of the last documents, about as long, that were as unlikely: small is
    surprising. It is null, too, if nothing was learned.
    """

    topic: Whole | None
    name: str | None
    probability: Share | None
    known_words: Whole
    p_value: Share | None


class Classification(Struct):
    """The documents of a request."""

    documents: list[Classified]
    level: Whole
    learned: Whole


class Receipt(Struct):
    """How many documents are stored, and how many an earlier request had stored."""

    accepted: Whole
    duplicates: Whole


class Health(Struct):
    """Whether the process is alive."""

    status: str


class Readiness(Struct):
    """Whether it learns and answers, if not, why, and how many documents were skipped for what."""

    ready: bool
    problems: list[str]
    skipped: dict[str, Whole]


class Error(Struct):
    """What is wrong, and what to do."""

    error: str
