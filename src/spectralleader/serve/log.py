"""Log: lines on standard error with time, level and event, as text or as JSON."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from typing import Any

import msgspec

LOGGER = logging.getLogger("spectralleader.serve")
REFUSED = (401, 403, 507)  # statuses of answers that an operator should hear of
REFUSED_EVERY = 60.0  # seconds between two lines about a status: clients must not fill the log


class LineFormatter(logging.Formatter):
    """Formats records as lines, ours and those of the web server alike."""

    converter = time.gmtime  # type: ignore[assignment]

    def __init__(self, *, as_json: bool) -> None:
        super().__init__("%(message)s", "%Y-%m-%dT%H:%M:%SZ")
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return a line; in JSON, a traceback is a part of its message."""
        message, when = super().format(record), self.formatTime(record, self.datefmt)
        if not self._as_json:
            return f"{when} {record.levelname} {message}"
        row = {
            "time": when,
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.name),
            "message": message,
            **getattr(record, "fields", {}),
        }
        return msgspec.json.encode(row).decode()


def start_log(kind: str) -> None:
    """Write lines to standard error from now on, as "text" or "json"."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(as_json=kind == "json"))
    # The root logger, so that the web server and other libraries write the same lines.
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    LOGGER.setLevel(logging.INFO)


def log(event: str, line: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log a line; programs read its event and its fields."""
    LOGGER.log(level, "%s", line, extra={"event": event, "fields": fields})


class RefusalLog:
    """Logs the first request that is refused with a status, and then their number every minute."""

    def __init__(self) -> None:
        self._logged: dict[int, float] = {}  # when, by status
        self._n: Counter[int] = Counter()  # since then

    def note(self, status: int, client: str, error: str) -> None:
        """Count a request that is answered with an error."""
        if status not in REFUSED:
            return
        self._n[status] += 1
        now = time.monotonic()
        if now - self._logged.get(status, -REFUSED_EVERY) >= REFUSED_EVERY:
            n, self._logged[status] = self._n.pop(status), now
            line = f"requests refused with {status}: {n:,}; the last from {client}: {error}"
            log("refused", line, logging.WARNING, status=status, requests=n, client=client)
