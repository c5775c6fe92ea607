"""Answers of the routes, asked without a process or a network."""

import asyncio
import json
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from spectralleader import TextTopics, save
from spectralleader.runtime.locks import lock_of
from spectralleader.serve import ServeOptions, handlers
from spectralleader.serve import inbox as inbox_module
from spectralleader.serve.app import Application
from spectralleader.serve.handlers import Handlers, classify
from spectralleader.serve.inbox import Inbox
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.routes import ROUTES
from spectralleader.serve.service import Service
from spectralleader.sources import Lag
from spectralleader.storage import Checkpoint
from spectralleader.text.tokens import parse_tokens
from tests.factories import texts
from tests.serve.serving import full_disk


class Asked:
    """A service of a model, and a client of it."""

    def __init__(self, folder, words="english"):
        topics = TextTopics(2, words=words) if words == "tokens" else TextTopics(2)
        self.topics = topics
        topics.learn([["a", "b"]] * 20 if words == "tokens" else texts(60)[0])
        self.inbox = Inbox(folder / "t.model.inbox")
        self.inbox.open(None)
        self.service = Service(save(topics, folder / "t.model"), self.inbox)
        self.service.stale = 1800.0
        self.service.publish(learns=True)
        self.service.show(topics)
        self.metrics = Metrics(self.service)
        self.handlers = Handlers(self.service, self.metrics, ServeOptions())
        self.app = Application(self.handlers)

    def ask(self, method, path, body=b"", *, ends=True):
        """Return the status, the headers and the JSON of an answer; a body may have no end."""
        return asyncio.run(self.ask_here(method, path, body, ends=ends))

    async def ask_here(self, method, path, body=b"", *, ends=True):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = [{"type": "http.request", "body": body, "more_body": not ends}]
        sent = []

        async def receive():
            if not given:
                await asyncio.sleep(60)
            return given.pop()

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}
        scope |= {"query_string": b"", "headers": headers, "root_path": "", "scheme": "http"}
        await self.app(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], found, json.loads(content)

    def get(self, path, n_messages):
        """Return the first messages of an answer, whatever its content."""
        sent = []

        async def receive():
            await asyncio.sleep(60)

        async def send(message):
            sent.append(message)
            if len(sent) == n_messages:
                raise asyncio.CancelledError

        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
        scope |= {"query_string": b"", "headers": [(b"host", b"localhost")], "root_path": ""}
        scope |= {"scheme": "http", "extensions": {}}
        with suppress(asyncio.CancelledError):
            asyncio.run(self.app(scope, receive, send))
        return sent

    def learn(self, **body):
        status, _, found = self.ask("POST", "/learn", body)
        return status, found


@pytest.fixture
def asked(tmp_path):
    found = Asked(tmp_path)
    yield found
    found.inbox.close()


@pytest.fixture
def asked_of_tokens(tmp_path):
    found = Asked(tmp_path, words="tokens")
    yield found
    found.inbox.close()


def test_while_it_stops_posts_are_to_be_sent_again(asked):
    asked.inbox.close()
    status, headers, found = asked.ask("POST", "/learn", {"texts": ["rain"]})
    assert (status, headers["retry-after"]) == (503, "2")
    assert "try again" in found["error"]


def test_an_id_stands_for_its_documents(asked):
    assert asked.learn(texts=["rain", "wind"], id="x")[0] == 202
    again = asked.learn(texts=["rain", "wind"], id="x", times=[1, 2])
    assert again == (202, {"accepted": 0, "duplicates": 2})
    status, found = asked.learn(texts=["rain", "snow"], id="x")
    assert (status, "id of its own" in found["error"]) == (409, True)


@pytest.mark.parametrize(
    ("lag", "line", "words"),
    [
        (Lag(1200, "bytes"), '{unit="bytes"} 1200.0', "1,200 bytes behind"),
        (Lag(2.5, "s"), '{unit="s"} 2.5', "2.5 s behind"),
        (Lag(0, "files"), '{unit="files"} 0.0', "up to date"),
        (None, None, ""),
    ],
)
def test_the_lag_is_a_number_with_the_unit_of_its_source(asked, lag, line, words):
    asked.service.publish(lag=lag, learns=True)
    text = Metrics(asked.service).text().decode()
    assert f"spectralleader_lag{line}" in text if line else "spectralleader_lag{" not in text
    assert asked.service.pulse()["lag"] == words


def test_tokens_are_taken_as_from_files(asked_of_tokens):
    ask = asked_of_tokens.learn
    assert ask(tokens=[["a", 7, None, "", 8.0]])[0] == 202
    assert ask(counts=[{"a": 2.0, "b": None, "": 3}])[0] == 202
    payloads = asked_of_tokens.inbox.take(10).payloads
    stored = [json.dumps(json.loads(payload)["tokens"]) for payload in payloads]
    assert list(map(parse_tokens, stored)) == [["a", "7", "8"], {"a": 2}]
    status, _, found = asked_of_tokens.ask("POST", "/predict", {"tokens": [["a", 7, None]]})
    assert (status, found["documents"][0]["known_words"]) == (200, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"counts": [{"a": 1}, {"a": 1.5}]}, "multiple of 1.0 - at `$.counts[1]"),
        ({"counts": [{"a": 0}]}, "`float` >= 1.0 - at `$.counts[0]"),
        ({"counts": [{"a": -1}]}, "`float` >= 1.0 - at `$.counts[0]"),
        ({"counts": [{"a": True}]}, "got `bool` - at `$.counts[0]"),
        ({"counts": [{"a": 10**7}]}, "<= 1000000"),
        ({"tokens": [["a"], ["a", 1.5]]}, "multiple of 1.0 - at `$.tokens[1][1]"),
        ({"tokens": [["a", True]]}, "got `bool` - at `$.tokens[0][1]"),
        ({"tokens": [[["a"]]]}, "got `array` - at `$.tokens[0][0]"),
        ({"tokens": [["a", 1e300]]}, "document 0 has the token 1e+300"),
        ({"tokens": [[None, ""]]}, "document 0 has no tokens"),
        ({"counts": [{"a": None}]}, "document 0 has no tokens"),
        ({"tokens": ["a b"]}, "got `str` - at `$.tokens[0]"),
        ({"tokens": [["\ud800"]]}, "half of a surrogate pair"),
    ],
)
def test_what_is_wrong_with_a_document_of_tokens_is_said(asked_of_tokens, body, said):
    status, found = asked_of_tokens.learn(**body)
    assert status == 400
    assert said in found["error"]


# Seconds that a step takes, and in which a request is answered that does not wait for it: normal
# answers take milliseconds, on a machine that is busy with other tests up to a second.
STEP, AT_ONCE = 30.0, 10.0


@pytest.fixture
def in_a_step(asked):
    """The service while the learner's locks are held by another thread."""
    held, may_end = threading.Event(), threading.Event()

    def step():
        with lock_of(asked.topics), lock_of(asked.topics.learner):
            held.set()
            may_end.wait(STEP)

    learning = threading.Thread(target=step, daemon=True)
    learning.start()
    assert held.wait(60)
    yield asked
    may_end.set()
    learning.join()


@contextmanager
def at_once():
    """Fail if what is done waits for the end of the step."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < AT_ONCE


@pytest.mark.parametrize("path", [route.path for route in ROUTES if "GET" in route.methods])
def test_no_route_waits_for_a_step(in_a_step, path):
    """Every route is answered while another thread is in a step, `/live` by its first events."""
    with at_once():
        sent = in_a_step.get(path.format(id=1), n_messages=4)
    assert sent[0]["status"] == 200
    if path == "/live":
        events = [message["body"].split()[1] for message in sent[1:]]
        assert events == [b"content", b"pulse", b"pulse"]


def test_no_post_waits_for_a_step(in_a_step):
    with at_once():
        assert in_a_step.ask("POST", "/predict", {"texts": ["goal"]})[0] == 200
        assert in_a_step.learn(texts=["rain"])[0] == 202


def test_it_is_not_ready_while_the_disk_takes_no_posts(asked, monkeypatch):
    monkeypatch.setattr(inbox_module, "TRY_AGAIN", 0.0)
    assert asked.ask("GET", "/readyz")[0] == 200
    with full_disk(asked.inbox):
        assert asked.learn(texts=["rain " * 10_000])[0] == 507
        status, _, found = asked.ask("GET", "/readyz")
    assert (status, found["problems"]) == (
        503,
        ["posts cannot be stored: database or disk is full; make room on the disk"],
    )
    assert asked.ask("GET", "/readyz")[0] == 200  # also if nobody posts to find out
    assert asked.learn(texts=["rain"])[0] == 202


def test_it_is_not_ready_after_a_checkpoint_that_failed(asked):
    asked.service.not_saved(OSError("the disk is full"))
    status, _, found = asked.ask("GET", "/readyz")
    assert (status, "checkpoint failed" in found["problems"][0]) == (503, True)
    asked.service.saved(Checkpoint(asked.topics), 0.1)
    assert asked.ask("GET", "/readyz")[0] == 200


def test_metrics_count_what_is_stored_and_what_fails(asked):
    body = {"texts": ["goal", "cup"], "id": "a"}
    for _ in range(3):
        assert asked.ask("POST", "/learn", body)[0] == 202
    asked.service.saved(Checkpoint(asked.topics), 0.25)
    asked.service.not_saved(OSError("the disk is full"))
    lines = asked.metrics.text().decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    found = {
        name: float(values[f"spectralleader_{name}"])
        for name in (
            "accepted_total", "duplicates_total", "checkpoint_failures_total",
            "checkpoint_seconds", "reconnects_total", 'skipped_total{reason="no text"}',
        )
    }  # fmt: skip
    assert list(found.values()) == [2, 4, 1, 0.25, 0, 0]
    assert float(values["spectralleader_inbox_bytes"]) > 4096
    assert float(values["process_resident_memory_bytes"]) > 1e7


def test_requests_at_the_same_time_are_answered_as_alone(asked, monkeypatch):
    bodies = [{"texts": some} for some in (["goal cup"], ["vote", "goal"], ["a", "b", "vote"])]
    alone = [asked.ask("POST", "/predict", body)[2] for body in bodies]
    calls = []
    monkeypatch.setattr(
        handlers, "classify", lambda *given: calls.append(given) or classify(*given)
    )

    async def ask_all():
        return await asyncio.gather(
            *(asked.ask_here("POST", "/predict", body) for body in bodies)
        )  # fmt: skip

    assert [found for _, _, found in asyncio.run(ask_all())] == alone
    assert [len(some) for _, some in calls] == [6]


def test_what_fails_in_one_request_does_not_fail_another(asked, monkeypatch, caplog):
    def fail(snapshot, some):
        if "bad" in some:
            raise ZeroDivisionError
        return classify(snapshot, some)

    monkeypatch.setattr(handlers, "classify", fail)

    async def ask_both():
        asking = (asked.ask_here("POST", "/predict", {"texts": [one]}) for one in ("bad", "goal"))
        return await asyncio.gather(*asking)

    failed, found = asyncio.run(ask_both())
    assert (failed[0], found[0]) == (500, 200)
    assert "ZeroDivisionError" in caplog.text


def test_a_request_that_is_cut_off_is_answered(asked):
    async def cut_off():
        task = asyncio.create_task(asked.ask_here("POST", "/learn", b"{", ends=False))
        await asyncio.sleep(0.1)
        task.cancel()
        return await task

    status, _, found = asyncio.run(cut_off())
    assert (status, "try again" in found["error"]) == (503, True)


def test_a_client_that_hangs_up_within_a_body_is_no_error_of_the_service(asked):
    async def hang_up():
        messages = [{"type": "http.disconnect"}, {"type": "http.request", "more_body": True}]
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/predict",
            "headers": headers,
            "query_string": b"",
        }

        async def receive():
            return messages.pop()

        async def send(message):
            raise AssertionError(message)  # there is nobody to answer

        await asked.app(scope, receive, send)

    asyncio.run(hang_up())
    told = asked.metrics.text().decode()
    assert 'request_seconds_count{path="/predict",status="499"} 1.0' in told


def test_what_is_not_expected_is_answered_without_telling_what_it_was(asked, monkeypatch, caplog):
    def fail():
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(asked.service, "problems", fail)
    status, _, found = asked.ask("GET", "/readyz")
    assert (status, found) == (500, {"error": "the service failed; its log says how"})
    assert "a secret" in caplog.text


def test_the_head_of_a_page_can_be_asked_for(asked):
    assert asked.ask("HEAD", "/healthz")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"), [("GET", "/learn", "POST"), ("PUT", "/topics", "GET")]
)
def test_a_wrong_method_is_told_the_right_ones(asked, method, path, allowed):
    status, headers, found = asked.ask(method, path)
    assert status == 405
    assert allowed in headers["allow"]
    assert headers["allow"] in found["error"]
