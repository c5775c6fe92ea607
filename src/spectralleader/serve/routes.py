"""Routes: one table of what the service answers, and the OpenAPI description made from it.

Routing, labels of metrics and the description read `ROUTES`; a test compares docs/serving.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from spectralleader import __version__
from spectralleader.serve import messages
from spectralleader.serve.handlers import EVENTS, JSON, PROMETHEUS, Handlers, Request
from spectralleader.serve.messages import (
    EXAMPLES,
    Documents,
    Error,
    NewDocuments,
    Readiness,
)

TOPIC = "/topics/{id}"  # the one path with a parameter
SCHEMAS = "#/components/schemas/{name}"
NUMBER = {"type": "integer", "minimum": 1}
LEVEL = {
    "name": "level", "in": "query", "required": False,
    "schema": {"anyOf": [NUMBER, {"enum": ["auto", "all"]}]},
    "description": "Read the topics merged to so many, to as many as their prices suggest (auto: "
    "the default if they were learned with -k auto), or all (else the default).",
}  # fmt: skip
ID = {"name": "id", "in": "path", "required": True, "schema": NUMBER, "description": "From 1 on."}


class Route(NamedTuple):
    """A path, what answers it, whose docstring describes it, and what comes in and out."""

    path: str
    handler: Callable[[Handlers, Request], Awaitable[Any]]
    answer: type[msgspec.Struct] | str  # its message, or the type of another content
    body: type[Documents] | None = None
    status: int = 200  # if all is well
    has_level: bool = False
    is_open: bool = False  # needs no token, because it reveals no documents
    changes: bool = False  # the model, so that a token that only reads is not enough

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in requests, the usual one first."""
        return ("GET", "HEAD") if self.body is None else ("POST",)


def describe_api(max_batch: int) -> dict[str, Any]:
    """Return the description, an OpenAPI document."""
    described = [route for route in ROUTES if route.answer != EVENTS]  # the page's own business
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
            "schemas": describe_messages(max_batch),
        },
        "paths": {route.path: {route.methods[0].lower(): describe(route)} for route in described},
    }


def describe_messages(max_batch: int) -> dict[str, Any]:
    """Return the schemas of all messages by name."""
    kinds = {Error, *(kind for route in ROUTES for kind in (route.answer, route.body))}
    structs = [kind for kind in kinds if not isinstance(kind, str | None)]
    _, schemas = msgspec.json.schema_components(structs, ref_template=SCHEMAS)
    for kind in (Documents, NewDocuments):  # what one field cannot say
        schema = schemas[kind.__name__]
        schema["oneOf"] = [{"required": [form]} for form in EXAMPLES]
        for form in EXAMPLES:
            schema["properties"][form]["maxItems"] = max_batch
    return schemas


def describe(route: Route) -> dict[str, Any]:
    """Return the description of the operation of a route."""
    answers = {
        str(route.status): content("As asked.", route.answer),
        "default": content("An error, which says what to do.", Error),
    }
    # Of all answers, only readiness has a body of its own kind when it is bad.
    if route.answer is Readiness:
        answers["503"] = content("Not ready.", Readiness)
    summary, _, more = (inspect.getdoc(route.handler) or "").partition("\n\n")
    described: dict[str, Any] = {
        "summary": summary,
        "description": more,
        "parameters": [ID] * (route.path == TOPIC) + [LEVEL] * route.has_level,
        "responses": answers,
    }
    if route.is_open:
        described["security"] = []
    if route.body is not None:
        described["requestBody"] = {"required": True, **content("Documents.", route.body)}
    return described


def content(summary: str, kind: type[msgspec.Struct] | str) -> dict[str, Any]:
    """Return the description of a message, or of another type of content."""
    if isinstance(kind, str):
        return {"description": summary, "content": {kind.partition(";")[0]: {}}}
    schema = {"$ref": SCHEMAS.format(name=kind.__name__)}
    return {"description": summary, "content": {JSON: {"schema": schema}}}


async def show_description(handlers: Handlers, request: Request) -> Any:
    """Describe all of this."""
    return describe_api(handlers.options.max_batch)


ROUTES = (
    Route("/", Handlers.page, "text/html"),
    Route("/live", Handlers.live, EVENTS),
    Route("/topics", Handlers.topics, messages.Topics, has_level=True),
    Route(TOPIC, Handlers.topic, messages.TopicOverTime, has_level=True),
    Route("/trends", Handlers.trends, messages.Trends, has_level=True),
    Route("/events", Handlers.events, messages.Events),
    Route("/predict", Handlers.predict, messages.Classification, Documents, has_level=True),
    Route("/learn", Handlers.learn, messages.Receipt, NewDocuments, 202, changes=True),
    Route("/model", Handlers.model, "application/octet-stream"),
    Route("/healthz", Handlers.healthz, messages.Health, is_open=True),
    Route("/readyz", Handlers.readyz, Readiness, is_open=True),
    Route("/metrics", Handlers.show_metrics, PROMETHEUS, is_open=True),
    Route("/openapi.json", show_description, JSON, is_open=True),
)
BY_PATH = {route.path: route for route in ROUTES}


def find_route(path: str) -> Route | None:
    """Return the route of a path, None if it is unknown."""
    start, _, id = path.rpartition("/")
    return BY_PATH[TOPIC] if start == "/topics" and id else BY_PATH.get(path)
