"""The OpenAPI description of the service; a test checks the service against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spectralleader import __version__
from spectralleader.serve.requests import LAST, LONGEST_ID, MOST_COUNT, Limits

Schema = dict[str, Any]
WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TEXT: Schema = {"type": "string"}
LINES: Schema = {"type": "array", "items": TEXT}


def record(**fields: Schema) -> Schema:
    """Return the schema of an object in which all these fields are required."""
    return {"type": "object", "required": list(fields), "properties": fields}


def optional(schema: Schema) -> Schema:
    """Return a schema that also allows null."""
    return {"anyOf": [schema, {"type": "null"}]}


def items(schema: Schema, **limits: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema, **limits}


WORD = record(word=TEXT, probability=SHARE)
UNUSED = {
    "type": "boolean",
    "description": "Whether almost no document has this topic: its weight is less than 2 % of an "
    "even share. Its words mean nothing.",
}
TOPIC = record(topic=WHOLE, name=optional(TEXT), weight=SHARE, unused=UNUSED, words=items(WORD))
TIME = {
    **TEXT,
    "description": "The start of the interval in ISO 8601; without times, the number of its first "
    "document, from 1.",
}
ROW = record(time=TIME, topic=WHOLE, share=SHARE, error=NUMBER, documents=WHOLE)
EVENT = record(documents=WHOLE, what=TEXT, topics=items(WHOLE), moved=NUMBER)
FOUND = record(
    topic={**optional(WHOLE), "description": "The likeliest topic; null without known words."},
    name=optional(TEXT),
    probability={**optional(SHARE), "description": "Of the topic; null without known words."},
    known_words=WHOLE,
    p_value={
        **optional(SHARE),
        "description": "Share of the last documents, about as long, that were as unlikely; small "
        "is surprising. null without known words, or if nothing was learned.",
    },
)
ERROR = record(error=TEXT)
SAID = {
    400: "The request is wrong; the error says how.",
    401: "The token is missing or wrong.",
    403: "The service is called by a name that it does not answer to.",
    404: "Unknown path, topic or level.",
    408: "The body did not come in time.",
    409: "The service does not learn what is posted, or the id was that of other documents.",
    413: "The body, the batch or a document is too large.",
    415: "The body is not JSON, or it is compressed: a Content-Encoding is not supported.",
    429: "Too much at once; try again after the seconds of Retry-After.",
    503: "The model is not loaded yet, or the service stops; try again.",
    507: "The documents cannot be stored.",
}


def describe_api(limits: Limits) -> dict[str, Any]:
    """Return the description, an OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "spectralleader",
            "version": __version__,
            "description": "Topics learned from a stream. Every error is a JSON object whose "
            "`error` says what to do. With --token-file, all but health, metrics and this need it.",
        },
        "security": [{}, {"bearer": []}, {"password": []}],
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "password": {"type": "http", "scheme": "basic"},
            },
            "schemas": {"Error": ERROR},
        },
        "paths": describe_paths(limits),
    }


def describe_paths(limits: Limits) -> dict[str, Any]:
    """Return the operations by path."""
    level = {
        "name": "level", "in": "query", "required": False,
        "description": "Read the topics merged to so many, to as many as their prices suggest "
        "(auto: the default if they were learned with -k auto), or all (else the default).",
        "schema": {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["auto", "all"]}]},
    }  # fmt: skip
    number = {"name": "id", "in": "path", "required": True, "description": "From 1 on.",
              "schema": {"type": "integer", "minimum": 1}}  # fmt: skip
    texts = documents_of(limits)
    learnt = {**texts, "id": id_schema(), "times": times_schema(limits)}
    listed = record(documents=WHOLE, level=WHOLE, topics=items(TOPIC))
    one = record(**TOPIC["properties"], trend=items(ROW))
    found = record(documents=items(FOUND), level=WHOLE, learned=WHOLE)
    ready = record(ready={"type": "boolean"}, problems=LINES)
    drifts = {**optional(WHOLE), "description": "Documents before the drift began; null: no drift."}
    happened = record(events=items(EVENT), drifts_since=drifts, findings=LINES)
    return {
        "/topics": get("List the topics.", listed, 400, parameters=[level]),
        "/topics/{id}": get(
            "Show a topic and its share over time.", one, 400, 404, parameters=[number, level]
        ),
        "/trends": get(
            "Shares of topics over time.",
            record(level=WHOLE, trends=items(ROW)),
            400,
            parameters=[level],
        ),
        "/events": get("What happened to the topics.", happened),
        "/predict": post(
            "Classify documents; nothing is learned.",
            body(texts),
            {"200": answer("The documents.", found)},
            parameters=[level],
        ),
        "/learn": post(
            "Have documents learned, each once. Answered when they are on the disk: what is "
            "accepted is learned, also after a crash. A request that is sent again with the same "
            "id is not learned twice.",
            body(learnt),
            {"202": answer("Accepted.", record(accepted=WHOLE, duplicates=WHOLE))},
            409,
            507,
        ),
        "/model": get("The model file, as saved last.", None, 404),
        "/healthz": get("Whether the process is alive.", record(status=TEXT), is_open=True),
        "/readyz": {
            "get": {
                "summary": "Whether it learns and answers, and if not, why.",
                "security": [],
                "responses": {
                    "200": answer("Ready.", ready),
                    "503": answer("Not ready.", ready),
                    **errors(403),
                },
            }
        },
        "/metrics": get("Metrics for Prometheus.", TEXT, is_open=True, kind="text/plain"),
        "/openapi.json": get("This description.", {"type": "object"}, is_open=True),
        "/": get("The live page.", TEXT, kind="text/html"),
    }


def documents_of(limits: Limits) -> dict[str, Schema]:
    """Return the three ways of sending documents."""
    whole: Schema = {"type": "integer"}
    token: Schema = {"anyOf": [{"type": "string", "minLength": 1}, whole]}
    said = 'Strings or integers; null and "" are left out.'
    count: Schema = {"type": "integer", "minimum": 1, "maximum": MOST_COUNT}
    text: Schema = {"type": "string", "pattern": r"\S", "maxLength": limits.words}
    tokens = items(optional({"anyOf": [TEXT, whole]}), minItems=1, maxItems=limits.words)
    tokens |= {"contains": token, "description": said}
    counts: Schema = {"type": "object", "additionalProperties": optional(count)}
    counts |= {"minProperties": 1, "maxProperties": limits.words}
    some = {"minItems": 1, "maxItems": limits.batch}
    return {
        "texts": items(text, **some),
        "tokens": items(tokens, **some),
        "counts": items(counts, **some),
    }


def id_schema() -> Schema:
    """Return the schema of a request's id."""
    said = "Made up by the client: the same when the same documents are sent again."
    return {"type": "string", "minLength": 1, "maxLength": LONGEST_ID, "description": said}


def times_schema(limits: Limits) -> Schema:
    """Return the schema of times."""
    seconds = {"type": "number", "exclusiveMinimum": -LAST, "exclusiveMaximum": LAST}
    one = {"anyOf": [seconds, {"type": "string", "format": "date-time"}, {"type": "null"}]}
    said = "One per document: Unix seconds or ISO 8601; now, if omitted."
    return {**items(one, maxItems=limits.batch), "description": said}


def body(fields: dict[str, Schema]) -> dict[str, Any]:
    """Return the description of a body: one of texts, tokens or counts."""
    kinds = ("texts", "tokens", "counts")
    schema = {
        "type": "object",
        "properties": fields,
        "additionalProperties": False,
        "oneOf": [{"required": [kind]} for kind in kinds],
    }
    example = {"texts": ["rain and wind", "a late goal"]}
    return {
        "required": True,
        "content": {"application/json": {"schema": schema, "example": example}},
    }


def answer(said: str, schema: Schema | None, kind: str = "application/json") -> dict[str, Any]:
    """Return the description of an answer."""
    if schema is None:
        return {"description": said, "content": {"application/octet-stream": {}}}
    return {"description": said, "content": {kind: {"schema": schema}}}


def errors(*numbers: int) -> dict[str, Any]:
    """Return the descriptions of errors."""
    schema = {"$ref": "#/components/schemas/Error"}
    return {str(number): answer(SAID[number], schema) for number in sorted(numbers)}


def get(
    summary: str,
    schema: Schema | None,
    *more: int,
    parameters: list[dict[str, Any]] | None = None,
    is_open: bool = False,
    kind: str = "application/json",
) -> dict[str, Any]:
    """Return the description of an operation that reads."""
    known = (403,) if is_open else (401, 403, 429, 503)
    found = {
        "summary": summary,
        "parameters": parameters or [],
        "responses": {"200": answer("It.", schema, kind), **errors(*known, *more)},
    }
    return {"get": {**found, "security": []} if is_open else found}


def post(
    summary: str,
    request: dict[str, Any],
    answers: dict[str, Any],
    *more: int,
    parameters: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the description of an operation that takes documents."""
    known = errors(400, 401, 403, 408, 413, 415, 429, 503, *more)
    told = {"requestBody": request, "responses": {**answers, **known}}
    return {"post": {"summary": summary, "parameters": list(parameters), **told}}
