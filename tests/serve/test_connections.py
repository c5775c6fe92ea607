"""Clients that misuse the protocol: what they may use is bounded, and others are answered."""

import json
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial

import pytest

from spectralleader import TextTopics, save
from tests.factories import texts
from tests.serve.serving import Serving

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
TIMEOUT = 30.0  # seconds until headers must have come


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    topics = TextTopics(4)
    topics.learn(texts(200)[0])
    return save(topics, tmp_path_factory.mktemp("saved") / "t.model")


@pytest.fixture(scope="module")
def service(saved):
    with Serving(saved) as found:
        yield found


def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=60)


def receive(client):
    """Return all that is sent until the service closes the connection."""
    found = b""
    try:
        while part := client.recv(65536):
            found += part
    except ConnectionResetError:  # it was closed before all that was sent was read
        pass
    return found


def exchange(service, data, *, ends=False):
    with connect(service) as client:
        client.sendall(data)
        if ends:
            client.shutdown(socket.SHUT_WR)
        return receive(client)


def parse(answer):
    """Return the status, the headers and the JSON of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), json.loads(body)


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"X: " + b"a" * 65536,
        b"GET /" + b"a" * 65536,
        HEAD + b"a: b\r\n" * 101,
        HEAD + b"a: b\r\n" * 100 + b"\r\n",
    ],
    ids=["one long header", "a long path", "too many", "too many in one piece"],
)
def test_headers_are_limited(service, data):
    before = service.n_closed("long_headers")
    status, headers, found = parse(exchange(service, data))
    assert (status, headers["connection"]) == (431, "close")
    assert headers["content-type"] == "application/json"
    assert "send fewer" in found["error"]
    assert service.n_closed("long_headers") == before + 1


@pytest.mark.parametrize("start", [HEAD, CHUNKED], ids=["headers", "trailer"])
@pytest.mark.parametrize("part", [b"a: b\r\n", b"a" * 1000], ids=["many", "long"])
def test_endless_headers_take_no_memory_and_no_time(service, start, part):
    before, data = service.memory(), part * (500_000 // len(part))
    with connect(service) as client:
        client.sendall(start + b"X")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(data * 200)
    assert service.memory() < before + 50
    assert service.get("/healthz").status == 200


def test_long_headers_and_long_bodies_pass(service):
    body = json.dumps({"texts": ["goal " * 10_000] * 40}).encode()
    long = {f"X-{i}": "a" * 1000 for i in range(50)}
    headers = {"Content-Type": "application/json", **long}
    assert service.ask("POST", "/predict", body, headers).status == 200
    with connect(service) as client:  # two requests, of which the second head comes in two parts
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
        client.sendall(request + HEAD + b"X: a")
        time.sleep(0.5)
        client.sendall(b"b\r\nConnection: close\r\n\r\n")
        assert receive(client).count(b"HTTP/1.1 200") == 2


def test_what_is_not_http_is_answered_in_json(service):
    for data in (b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nHo st: a\r\n\r\n"):
        status, headers, found = parse(exchange(service, data))
        assert (status, headers["content-type"]) == (400, "application/json")
        assert "not a valid HTTP/1.1 request" in found["error"]
    assert service.n_closed("invalid") == 2


def test_a_client_that_only_listens_after_its_request_is_answered(service):
    body = b'{"texts": ["goal referee"], "id": "half-closed"}'
    head = b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    status, _, found = parse(exchange(service, request, ends=True))
    assert (status, found) == (202, {"accepted": 1, "duplicates": 0})
    assert exchange(service, request[:-1], ends=True) == b""  # not a complete one


def test_probes_of_load_balancers_are_answered(service):
    for path in (b"/healthz", b"/readyz"):
        assert parse(exchange(service, b"GET %s HTTP/1.0\r\n\r\n" % path))[0] == 200
        assert service.get(path.decode(), Host="10.0.0.3:8000").status == 200
    assert parse(exchange(service, b"GET /topics HTTP/1.0\r\n\r\n"))[0] == 403
    assert service.get("/metrics", Host="10.0.0.3:8000").status == 403


def test_slow_headers_are_given_up_and_answers_need_not_be_read_for_ever(service):
    with ExitStack() as stack:
        silent, slow, late = (stack.enter_context(connect(service)) for _ in range(3))
        slow.sendall(HEAD)
        # Answered with 413 at once, and the body is not awaited for ever.
        late.sendall(
            b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n"
        )
        began = time.monotonic()
        while time.monotonic() - began < TIMEOUT - 2:
            slow.sendall(b"a: b\r\n")
            late.sendall(b"a")
            time.sleep(1.0)
        status, _, found = parse(receive(slow))
        assert (status, "headers did not come within 30 s" in found["error"]) == (408, True)
        assert b" 413 " in receive(late)
        assert receive(silent) == b""
        assert time.monotonic() - began < TIMEOUT + 10
    assert service.n_closed("slow_headers") == 1
    assert service.n_closed("idle") >= 1


def limited(n_files):
    return partial(resource.setrlimit, resource.RLIMIT_NOFILE, (n_files, n_files))


@pytest.mark.parametrize(("n_files", "n_clients"), [(1024, 1100), (40, 60)])
def test_idle_connections_do_not_use_up_open_files(tmp_path, monkeypatch, n_files, n_clients):
    # The process below gets a limit that this one, which holds the other ends, does not have.
    monkeypatch.setattr(subprocess, "Popen", partial(subprocess.Popen, preexec_fn=limited(n_files)))
    with ExitStack() as stack:
        service = stack.enter_context(Serving(tmp_path / "t.model", "--checkpoint-every", "1s"))
        monkeypatch.undo()
        documents = {"texts": ["rain wind snow", "late goal"] * 10}
        kept = stack.enter_context(connect(service))
        for _ in range(n_clients):
            stack.enter_context(connect(service))
        for n in range(1, 4):
            assert service.post("/learn", documents).status == 202
            service.wait(lambda n=n: service.n_docs == 20 * n)
        for path in ("/readyz", "/topics?level=2", "/trends", "/events", "/", "/model"):
            service.wait(lambda path=path: service.get(path).status == 200, 10)
        assert receive(kept) == b""  # the oldest one was closed
        assert service.n_closed("displaced") > 0
        assert service.n_closed("too_many") == 0  # some were idle
        assert service.stop()[0] == 0
    assert "Traceback" not in service.said
    assert "Errno" not in service.said


def test_connections_are_refused_if_none_is_idle(saved, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", partial(subprocess.Popen, preexec_fn=limited(40)))
    with Serving(saved, "--read-only") as service, ExitStack() as stack:
        monkeypatch.undo()
        for _ in range(10):  # a quarter of the open files
            page = stack.enter_context(connect(service))
            page.sendall(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert page.recv(100).startswith(b"HTTP/1.1 200")
        status, headers, found = parse(exchange(service, HEAD))
        assert (status, headers["retry-after"]) == (503, "1")
        assert "too many connections" in found["error"]
        stack.close()
        time.sleep(2.0)  # until the service has seen that the pages are closed
        assert service.n_closed("too_many") == 1


def test_what_the_first_requests_need_is_imported_before_the_service_listens(tmp_path):
    code = (
        "import sys, spectralleader.serve.run as run\n"
        "from spectralleader.cli.app import app\n"
        "class Server(run.Server):\n"
        "    def __enter__(self):\n"
        "        print('ahead', 'numpy.ma' in sys.modules, file=sys.stderr, flush=True)\n"
        "        sys.exit(0)\n"
        "run.Server = Server\n"
        "app()\n"
    )
    command = [sys.executable, "-c", code, "serve", str(tmp_path / "t.model"), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "ahead True" in done.stderr


def test_a_token_that_all_users_can_read_is_reported(saved, tmp_path):
    token = tmp_path / "token"
    token.write_text("a-token-of-24-characters")
    for mode, n in ((0o644, 1), (0o640, 0)):
        token.chmod(mode)
        with Serving(saved, "--token-file", str(token), "--read-only") as service:
            assert service.said.count("all users can read the token") == n
