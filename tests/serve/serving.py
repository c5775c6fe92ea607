"""A service as a process, and a client that knows nothing but HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader.serve.inbox import Inbox

LISTENING = re.compile(r"listening on http://(\[.*\]|[^:]+):(\d+)")


@contextmanager
def full_disk(inbox: Inbox) -> Iterator[None]:
    """Let the database of an inbox not grow; SQLite reports this as it does a full disk."""
    execute = inbox._connection.execute  # type: ignore[union-attr]
    [n_pages] = execute("PRAGMA page_count").fetchone()
    execute(f"PRAGMA max_page_count = {n_pages}")
    yield
    execute("PRAGMA max_page_count = 1000000")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Serving:
    """`spectralleader serve` with any free port; its output is kept."""

    def __init__(
        self, model: Path, *options: str, ready: bool = True, before: tuple[str, ...] = ()
    ) -> None:
        command = [
            *before,
            sys.executable,
            "-m",
            "spectralleader",
            "serve",
            str(model),
            "--port",
            "0",
        ]
        self.process = subprocess.Popen(
            [*command, *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        self.lines: list[str] = []
        self._found = threading.Event()
        self.port = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self._found.wait(60), self.said
        if self.port and ready:
            self.wait(lambda: self.get("/readyz").status == 200)

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.lines.append(line)
                if found := LISTENING.search(line):
                    self.port = int(found[2])
                    self._found.set()
        self._found.set()

    @property
    def said(self) -> str:
        return "".join(self.lines)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask once, with a connection of its own; bodies that are not bytes are sent as JSON."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, headers)

    @property
    def n_docs(self) -> int:
        """Documents learned, by the metrics: always the present number."""
        return int(self.metric("spectralleader_documents_total"))

    def metric(self, name: str) -> float:
        text = self.get("/metrics").body.decode()
        [found] = re.findall(rf"^{re.escape(name)} (.*)$", text, re.MULTILINE)
        return float(found)

    def wait(self, holds: Any, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"it did not come to pass; {self.said}"
            assert self.process.poll() is None, self.said
            time.sleep(0.05)

    def stop(self, number: int = signal.SIGTERM, seconds: float = 20.0) -> tuple[int, float]:
        """Send a signal; return the exit code, and the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(seconds), time.monotonic() - began

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)

    def memory(self) -> float:
        """Megabytes that are resident."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self._thread.join(20)
