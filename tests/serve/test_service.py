"""The service as a process, asked over HTTP."""

import base64
import gzip
import http.client
import json
import os
import shutil
import signal
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path

import pytest

from spectralleader import TextTopics, load, save
from tests.factories import texts
from tests.serve.serving import Serving

WRITTEN = texts(900)[0]
TOKEN = "a-token-of-24-characters"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    topics = TextTopics(6)
    topics.learn(WRITTEN)
    topics.name(0, "<b>first</b>")
    return save(topics, tmp_path_factory.mktemp("saved") / "t.model")


@pytest.fixture(scope="module")
def service(saved):
    with Serving(saved) as found:
        yield found


def test_it_answers_as_the_model_does(service, saved):
    topics = load(saved)
    found = service.post("/predict", {"texts": ["goal referee cup", "zebra"]}).json["documents"]
    k = int(topics.posterior(["goal referee cup"]).argmax())
    assert (found[0]["topic"], found[0]["known_words"]) == (k + 1, 3)
    assert found[0]["p_value"] == round(float(topics.p_values(["goal referee cup"])[0]), 4)
    assert found[1].pop("known_words") == 0
    assert found[1] == dict.fromkeys(("topic", "name", "probability", "p_value"))


def test_topics_are_listed_at_every_level(service):
    for query, n in (("", 6), ("?level=2", 2), ("?level=6", 6)):
        found = service.get(f"/topics{query}").json
        assert len(found["topics"]) == found["level"] == n
        assert sum(topic["weight"] for topic in found["topics"]) == pytest.approx(1.0)
    one = service.get("/topics/1").json
    assert one["name"] == "<b>first</b>"
    assert one["words"] == found["topics"][0]["words"]
    assert one["trend"]
    assert {row["topic"] for row in service.get("/trends?level=2").json["trends"]} == {1, 2}


def test_events_health_metrics_and_the_model_are_there(service, saved, tmp_path):
    assert service.get("/events").json["drifts_since"] is None
    assert service.get("/healthz").json == {"status": "alive"}
    assert service.get("/readyz").json == {"ready": True, "problems": [], "skipped": {}}
    assert service.n_docs == 900
    for name in ("ready", "words", "checkpoint_age_seconds", "checkpoint_bytes"):
        assert f"\nspectralleader_{name}" in service.get("/metrics").body.decode()
    assert service.metric('spectralleader_lag{unit="documents"}') == 0
    assert service.metric('spectralleader_topic_share{topic="1"}') > 0
    (tmp_path / "got.model").write_bytes(service.get("/model").body)
    assert load(tmp_path / "got.model").n_docs == 900


WRONG = [
    ("GET", "/topics?level=7", None, 400, "from 1 to 6"),
    ("GET", "/topics?level=%C2%B2", None, 400, "from 1 to 6"),
    ("GET", "/topics/7", None, 404, "from 1 to 6"),
    ("GET", "/topics/../../etc/passwd", None, 404, "/openapi.json"),
    ("GET", "/etc/passwd", None, 404, "/openapi.json"),
    ("GET", "/predict", None, 405, "method"),
    ("POST", "/predict", {"texts": []}, 400, "length >= 1"),
    ("POST", "/predict", {"texts": ["a"], "tokens": [["a"]]}, 400, "one list"),
    ("POST", "/predict", {"tokens": [["a"]]}, 400, "counts words of texts"),
    ("POST", "/predict", {"texts": ["a", 7]}, 400, "got `int` - at `$.texts[1]`"),
    ("POST", "/predict", {"texts": ["half \ud800"]}, 400, "half of a surrogate pair"),
    ("POST", "/predict", {"texts": ["a"], "file": "/etc/passwd"}, 400, "unknown field `file`"),
    ("POST", "/predict", {"texts": ["a"] * 1001}, 413, "send fewer"),
    ("POST", "/predict", {"texts": ["a" * 100_001]}, 400, "length <= 100000"),
    ("POST", "/predict", {"texts": ["a" * 4_100_000]}, 413, "send fewer documents"),
    ("POST", "/predict", b"not json", 400, "JSON object"),
    ("POST", "/predict", b"[" * 100_000, 400, "JSON object"),
    ("POST", "/learn", {"texts": ["a"], "id": ""}, 400, "at `$.id`"),
    ("POST", "/learn", {"texts": ["a"], "times": ["soon"]}, 400, "ISO 8601"),
    ("POST", "/learn", {"texts": ["a"], "times": [1, 2]}, 400, "there are 1 documents and 2 times"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "said"), WRONG, ids=lambda v: None)
def test_errors_are_json_and_say_what_to_do(service, method, path, body, status, said):
    headers = {"Content-Type": "application/json"} if isinstance(body, bytes) else {}
    answer = service.ask(method, path, body, headers)
    assert answer.status == status
    assert said in answer.json["error"]


def test_a_body_is_json_or_refused(service):
    answer = service.ask("POST", "/learn", b'{"texts": ["a"]}', {"Content-Type": "text/plain"})
    assert (answer.status, "application/json" in answer.json["error"]) == (415, True)


def test_a_compressed_body_is_refused_and_told_so(service):
    body = gzip.compress(b'{"texts": ["a"]}')
    for path in ("/predict", "/learn"):
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        answer = service.ask("POST", path, body, headers)
        assert (answer.status, answer.headers["accept-encoding"]) == (415, "identity")
        assert "'gzip' is not supported; send the body uncompressed" in answer.json["error"]
    plain = {"Content-Type": "application/json", "Content-Encoding": "Identity"}
    assert service.ask("POST", "/predict", b'{"texts": ["a"]}', plain).status == 200


def test_a_body_that_does_not_say_how_long_it_is_is_limited_too(service):
    chunks = (b'"' + b"a" * 100_000 for _ in range(60))
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    connection.request("POST", "/predict", chunks, headers, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 413
    answer.read()
    connection.close()


def test_other_sites_cannot_ask_in_a_visitors_name(service):
    assert service.get("/topics", Host="evil.example").status == 403
    assert service.get("/topics", Host=f"localhost:{service.port}").status == 200
    answer = service.get("/topics", Origin="http://evil.example")
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert service.ask("OPTIONS", "/learn", headers={"Origin": "http://evil.example"}).status == 405


def test_the_token_protects_all_but_health_and_metrics(saved, tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    with Serving(saved, "--token-file", str(tmp_path / "token"), "--read-only") as service:
        paths = ("/", "/live", "/topics", "/topics/1", "/trends", "/events", "/model")
        assert [service.get(path).status for path in paths] == [401] * len(paths)
        for path in ("/predict", "/learn"):
            assert service.post(path, {"texts": ["a"]}).status == 401
        assert service.get("/topics", Authorization="Bearer wrong").status == 401
        assert service.get("/topics", Authorization="Basic %%%").status == 401
        assert "Basic" in service.get("/").headers["www-authenticate"]
        basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
        for right in (f"Bearer {TOKEN}", f"Basic {basic}"):
            assert service.get("/topics", Authorization=right).status == 200
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
            assert service.get(path).status == 200
        answer = service.post("/learn", {"texts": ["a"]}, Authorization=f"Bearer {TOKEN}")
        assert (answer.status, "--read-only" in answer.json["error"]) == (409, True)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_tokens_are_read_again_after_sighup_and_one_of_them_only_reads(saved, tmp_path):
    token, reading = tmp_path / "token", tmp_path / "reading"
    token.write_text(TOKEN)
    reading.write_text(f"reading-{TOKEN}")
    files = "--token-file", str(token), "--read-token-file", str(reading)
    with Serving(Path(shutil.copy(saved, tmp_path / "t.model")), *files, ready=False) as service:
        body, reads = {"texts": ["goal"]}, bearer(f"reading-{TOKEN}")
        assert service.get("/topics", **reads).status == 200
        assert service.post("/predict", body, **reads).status == 200
        assert service.post("/learn", body, **reads).status == 403
        assert service.post("/learn", body, **bearer(TOKEN)).status == 202
        token.write_text("another-" + TOKEN)
        service.process.send_signal(signal.SIGHUP)
        service.wait(lambda: service.get("/topics", **bearer(TOKEN)).status == 401)
        assert service.post("/learn", body, **bearer("another-" + TOKEN)).status == 202
        assert service.get("/topics", **reads).status == 200
        token.write_text("short")
        service.process.send_signal(signal.SIGHUP)
        service.wait(
            lambda: (
                service.get("/topics", **bearer("another-" + TOKEN)).status == 200
                and "the tokens remain as they were: the token in" in service.said
            )
        )
        assert service.stop()[0] == 0


def test_sighup_does_not_end_a_service_without_a_token(service):
    service.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert service.get("/readyz").status == 200


def test_the_log_is_json_and_refused_requests_do_not_fill_it(saved, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    options = "--token-file", str(tmp_path / "token"), "--read-only", "--log", "json"
    with Serving(saved, *options) as service:
        for _ in range(50):
            service.get("/topics", **bearer("wrong"))
        assert service.stop()[0] == 0
    lines = [json.loads(line) for line in service.lines]
    assert [line["event"] for line in lines] == ["tokens", "listening", "refused"]
    assert {line["level"] for line in lines} == {"info", "warning"}
    assert lines[1]["address"] == service.address
    refused = lines[2]
    assert (refused["status"], refused["requests"], refused["client"]) == (401, 1, "127.0.0.1")
    assert datetime.fromisoformat(refused["time"]).tzinfo is not None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--token-file"),
        (["--token-file", "short"], "at least 16"),
        (["--token-file", "marked"], "without spaces or a byte order mark"),
        (["--token-file", "two lines"], "visible ASCII characters, without"),
        (["--read-only", "--learn", "texts"], "omit --learn"),
        (["--host", "203.0.113.9", "--insecure"], "cannot listen"),
    ],
)
def test_what_is_not_safe_or_does_not_work_is_refused(saved, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("short")
    (tmp_path / "marked").write_text(f"{TOKEN}\n", encoding="utf-8-sig")
    (tmp_path / "two lines").write_text(f"{TOKEN}\n{TOKEN}\n")
    (tmp_path / "texts").write_text("a\n")
    with Serving(saved, *options, ready=False) as service:
        assert service.process.wait(60) == 2
        assert said in service.said


def test_posted_documents_are_learned_once_and_saved_at_the_end(tmp_path):
    path = tmp_path / "new.model"
    with Serving(path, "-k", "3", "--vocabulary", "grow") as service:
        body = {"texts": WRITTEN[:300], "id": "first", "times": [1.5e9 + i for i in range(300)]}
        assert service.post("/learn", body).json == {"accepted": 300, "duplicates": 0}
        assert service.post("/learn", body).json == {"accepted": 0, "duplicates": 300}
        assert service.post("/learn", {"texts": WRITTEN[300:310]}).status == 202
        service.wait(lambda: service.n_docs == 310)
        service.wait(lambda: service.get("/topics").json["documents"] == 310)
        time.sleep(1.2)
        assert service.post("/predict", {"texts": ["goal"]}).json["learned"] == 310
        code, seconds = service.stop()
    assert (code, seconds < 5) == (0, True)
    topics = load(path)
    assert topics.n_docs == 310
    assert topics.timeline.by_time
    with Serving(path) as service:  # nothing is learned again, and ids are known
        assert service.post("/learn", body).json == {"accepted": 0, "duplicates": 300}
        time.sleep(0.5)
        assert service.n_docs == 310


def test_a_model_may_come_without_its_inbox_and_with_no_other_position(tmp_path):
    path = tmp_path / "t.model"
    with Serving(path, "-k", "2") as service:
        service.post("/learn", {"texts": WRITTEN[:50]})
        service.wait(lambda: service.n_docs == 50)
        service.stop()
    (tmp_path / "t.model.inbox").unlink()
    with Serving(path) as service:
        service.post("/learn", {"texts": WRITTEN[:5]})
        service.wait(lambda: service.n_docs == 55)
    topics = TextTopics(2)
    topics.learn(WRITTEN[:50], position={"kind": "redis", "at": "7-0"})
    with Serving(save(topics, tmp_path / "other.model"), ready=False) as service:
        assert service.process.wait(60) == 2
        assert "name that source with --learn" in service.said


def test_tokens_and_counts_are_learned_by_a_model_of_tokens(tmp_path):
    with Serving(tmp_path / "t.model", "--tokens", "tokens") as service:
        assert service.post("/learn", {"tokens": [["a b", "c"], ["c"]]}).status == 202
        assert service.post("/learn", {"counts": [{"a b": 3}]}).status == 202
        assert "send" in service.post("/learn", {"texts": ["a b"]}).json["error"]
        service.wait(lambda: service.n_docs == 3)
        service.wait(lambda: service.post("/predict", {"counts": [{"a b": 2, "x": 1}]})
                     .json["documents"][0]["known_words"] == 2)  # fmt: skip


def test_a_source_is_learned_and_served_on_after_its_end(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(WRITTEN))
    path = tmp_path / "t.model"
    with Serving(path, "--learn", str(tmp_path / "texts.txt"), "--vocabulary", "100") as service:
        service.wait(lambda: "the source has ended" in service.said)
        assert service.n_docs == 900
        assert load(path).n_docs == 900
        assert service.post("/learn", {"texts": ["a"]}).status == 409
        assert service.stop()[0] == 0


def test_a_followed_file_is_learned_as_it_grows(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("\n".join(WRITTEN[:120]) + "\n")
    with Serving(tmp_path / "t.model", "--learn", str(log), "--follow") as service:
        service.wait(lambda: service.n_docs == 120)
        with log.open("a") as file:
            file.write("\n".join(WRITTEN[120:127]) + "\n")
        service.wait(lambda: service.n_docs == 127)  # not only whole blocks of 100
        assert service.stop(signal.SIGINT)[0] == 0


def test_what_is_skipped_is_counted_with_its_reason_and_its_last_place(tmp_path):
    log = tmp_path / "log.jsonl"
    good = [json.dumps({"text": text}) for text in WRITTEN[:120]]
    log.write_text("\n".join(good) + "\n")
    with Serving(tmp_path / "t.model", "--learn", str(log), "--follow") as service:
        service.wait(lambda: service.n_docs == 120)
        assert service.get("/readyz").json["skipped"] == {}
        with log.open("ab") as file:
            file.write(b'{"text": "half\n{"text": "\xff"}\n{"text": ""}\n{"text": "\xfe"}\n')
        counts = {"invalid JSON": 1, "not UTF-8 text": 2, "no text": 1}
        service.wait(lambda: service.get("/readyz").json["skipped"] == counts)
        assert service.metric('spectralleader_skipped_total{reason="not UTF-8 text"}') == 2
        last = {row["reason"]: row["last"] for row in service.get("/events").json["skipped"]}
        assert last["not UTF-8 text"] == f"{log} message 0:124"
        assert service.n_docs == 120


def test_a_model_whose_file_is_deleted_is_written_again(saved, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = Path(shutil.copy(saved, folder / "t.model"))
    with Serving(path) as service:
        service.post("/learn", {"texts": WRITTEN[:10]})
        service.wait(lambda: service.n_docs == 910)
        time.sleep(10)  # the first checkpoint
        path.unlink()
        answer = service.get("/readyz")
        assert (answer.status, "model file is missing" in answer.json["problems"][0]) == (503, True)
        assert service.get("/metrics").status == 200
        service.wait(path.exists)
        service.wait(lambda: service.get("/readyz").status == 200)
        shutil.rmtree(folder)
        assert service.post("/predict", {"texts": ["goal"]}).status == 200
        assert service.stop()[0] == 0
    assert load(path).n_docs == 910


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root, to be another user"
)
def test_a_folder_that_cannot_be_searched_for_a_while_costs_nothing(saved):
    within = tempfile.TemporaryDirectory()  # another user may not enter the folders of pytest
    folder = Path(within.name)
    path, log = Path(shutil.copy(saved, folder / "t.model")), folder / "log.txt"
    log.write_text("\n".join(WRITTEN[:50]) + "\n")
    for other in (folder, path, log):
        os.chown(other, 65534, 65534)
    as_another = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    options = "--learn", str(log), "--follow", "--adopt", "--checkpoint-every", "1s"
    with within, Serving(path, *options, before=as_another) as service:
        service.wait(lambda: service.n_docs == 950)
        folder.chmod(0)
        service.wait(lambda: service.get("/readyz").status == 503)
        assert "missing" in service.get("/readyz").json["problems"][0]
        assert service.get("/topics").status == service.get("/metrics").status == 200
        service.wait(lambda: "Permission denied" in service.get("/readyz").json["problems"][0])
        folder.chmod(0o700)
        service.wait(lambda: service.get("/readyz").status == 200)
        with log.open("a") as file:
            file.write("goal goal\n")
        service.wait(lambda: service.n_docs == 951)
        assert service.stop()[0] == 0
        assert load(path).n_docs == 951


def test_a_reader_shows_what_another_process_has_saved(saved, tmp_path):
    path = Path(shutil.copy(saved, tmp_path / "t.model"))
    with Serving(path, "--read-only") as service:
        assert service.n_docs == 900
        topics = load(path)
        topics.learn(WRITTEN[:7])
        save(topics, path)
        service.wait(lambda: service.n_docs == 907)
        assert service.get("/topics").json["documents"] == 907
        path.write_bytes(b"half a file")
        service.wait(lambda: "was not saved by spectralleader" in service.said)
        path.unlink()
        assert (service.get("/readyz").status, service.n_docs) == (200, 907)
        assert service.said.count("listening on") == 1
        assert service.stop()[0] == 0


def begin_body(service, body=b'{"texts"', length=100):
    """Return a connection that has sent the beginning of a body, and never sends the rest."""
    slow = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    slow.putrequest("POST", "/predict")
    slow.putheader("Content-Type", "application/json")
    slow.putheader("Content-Length", str(length))
    slow.endheaders(body)
    return slow


def test_slow_bodies_take_no_place_of_a_request(saved):
    with ExitStack() as stack:
        service = stack.enter_context(Serving(saved, "--read-only", "--max-requests", "2"))
        slow = [stack.enter_context(closing(begin_body(service))) for _ in range(20)]
        assert service.post("/predict", {"texts": ["goal"]}).status == 200
        slow[0].send(b': ["goal"]' + b" " * 81 + b"}")  # 8 + 10 + 81 + 1 bytes: it was waited for
        assert slow[0].getresponse().status == 200


def test_too_many_at_once_are_asked_to_wait(saved):
    with Serving(saved, "--read-only", "--max-requests", "1") as service:
        body = {"texts": ["goal referee cup " * 5000] * 40}  # read in another thread
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: service.post("/predict", body), range(8)))
            assert service.get("/healthz").status == 200
        refused = [answer for answer in answers if answer.status != 200]
        assert 0 < len(refused) < len(answers)
        assert {(one.status, one.headers["retry-after"]) for one in refused} == {(429, "1")}
        assert service.get("/topics").status == 200


def test_half_a_body_and_an_open_page_do_not_disturb_the_end(saved):
    with Serving(saved, "--read-only") as service:
        slow = begin_body(service)
        page = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        page.request("GET", "/live")
        page.getresponse().readline()
        code, seconds = service.stop()
        answer = slow.getresponse()
        assert (answer.status, answer.getheader("retry-after")) == (503, "2")
        answer.read()
        slow.close()
        page.close()
    assert (code, seconds < 5) == (0, True)
    assert "Traceback" not in service.said
    assert "Cancel" not in service.said


def test_who_does_not_read_the_model_keeps_nobody_out(tmp_path):
    topics = TextTopics(20, vocabulary=[f"word{i}" for i in range(60_000)])
    topics.learn(["word1 word2"] * 20)
    with Serving(save(topics, tmp_path / "t.model"), "--read-only", "--max-requests", "2") as one:
        slow = []
        for _ in range(4):
            slow.append(socket.create_connection(("127.0.0.1", one.port)))
            slow[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow[-1].sendall(b"GET /model HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1.0)
        assert one.get("/topics").status == 200
        for client in slow:
            client.close()


def test_the_live_stream_has_the_page_and_what_is_new(service):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    connection.request("GET", "/live")
    answer = connection.getresponse()
    assert answer.getheader("content-type").startswith("text/event-stream")
    kinds = {}
    while set(kinds) < {"content", "pulse"}:
        name = answer.readline().decode().strip().removeprefix("event: ")
        kinds[name] = json.loads(answer.readline().decode().removeprefix("data: "))
        answer.readline()
    assert kinds["pulse"]["n_docs"] == 900
    assert [len(level["topics"]) for level in kinds["content"]["levels"]][-1] == 6
    answer.close()
    connection.close()


def exchange(service, data):
    """Return what is answered to bytes, until the service closes the connection."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
        client.sendall(data)
        return b"".join(iter(lambda: client.recv(65536), b""))


def test_probes_of_load_balancers_are_answered(service):
    for path in ("/healthz", "/readyz"):
        assert b" 200 OK" in exchange(service, b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
        assert service.get(path, Host="10.0.0.3:8000").status == 200
    assert b" 403 Forbidden" in exchange(service, b"GET /topics HTTP/1.0\r\n\r\n")
    assert service.get("/metrics", Host="10.0.0.3:8000").status == 403


def test_two_hosts_are_refused(service):
    hosts = b"Host: localhost\r\nHost: evil.example\r\n"
    for path in (b"/topics", b"/readyz"):
        answer = exchange(
            service, b"GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n" % (path, hosts)
        )
        assert b" 400 Bad Request" in answer
        assert b"one Host header" in answer


def test_the_page_may_not_be_framed_and_runs_its_own_script_only(service):
    policy = service.get("/").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy


def test_what_is_not_http_is_refused_and_fills_no_log(service):
    for data in (b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nHo st: a\r\n\r\n"):
        assert b" 400 Bad Request" in exchange(service, data)
    assert "Invalid" not in service.said


def test_long_headers_and_long_bodies_pass(service):
    body = json.dumps({"texts": ["goal " * 10_000] * 40}).encode()
    headers = {f"X-{i}": "a" * 1000 for i in range(50)} | {"Content-Type": "application/json"}
    assert service.ask("POST", "/predict", body, headers).status == 200


def test_a_token_that_all_users_can_read_is_reported(saved, tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN)
    for mode, n in ((0o644, 1), (0o640, 0)):
        token.chmod(mode)
        with Serving(saved, "--token-file", str(token), "--read-only") as service:
            assert service.said.count("all users can read the token") == n
