"""The log: lines as text or JSON, and few lines of refused requests."""

import json
import logging
import sys

import pytest

from spectralleader.serve import log as module
from spectralleader.serve.log import LineFormatter, RefusalLog


def record_of(message, **extra):
    logger = logging.getLogger("other")
    return logger.makeRecord("other", logging.ERROR, "", 0, message, (), None, extra=extra)


def test_a_line_has_its_time_level_event_and_fields():
    record = record_of("a line", event="saved", fields={"documents": 7})
    text = LineFormatter(as_json=False).format(record)
    assert text.endswith("Z ERROR a line")
    row = json.loads(LineFormatter(as_json=True).format(record))
    assert row.pop("time") == text.split()[0]
    assert row == {"level": "error", "event": "saved", "message": "a line", "documents": 7}


def test_a_traceback_is_within_the_one_line_of_json():
    record = record_of("it failed")
    try:
        raise ValueError("why")
    except ValueError:
        record.exc_info = sys.exc_info()
    [line] = LineFormatter(as_json=True).format(record).splitlines()
    row = json.loads(line)
    assert row["event"] == "other"
    assert row["message"].startswith("it failed\nTraceback")
    assert row["message"].endswith("ValueError: why")


def test_refused_requests_are_counted_and_logged_once_a_minute(monkeypatch, caplog):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    refusals = RefusalLog()
    with caplog.at_level(logging.INFO, logger=module.LOGGER.name):
        for status in (401, 401, 507, 404, 401):
            refusals.note(status, "10.0.0.1", "why")
        assert [record.fields["status"] for record in caplog.records] == [401, 507]
        now[0] += 60
        refusals.note(401, "10.0.0.2", "why")
    assert caplog.records[-1].fields == {"status": 401, "requests": 3, "client": "10.0.0.2"}
    assert caplog.messages[-1] == "requests refused with 401: 3; the last from 10.0.0.2: why"


@pytest.mark.parametrize("status", [200, 400, 404, 429])
def test_other_answers_are_not_logged(status, caplog):
    RefusalLog().note(status, "10.0.0.1", "why")
    assert caplog.records == []
