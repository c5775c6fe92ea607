"""A client that asks /predict over HTTP as fast as it is answered, or so often a second."""

from __future__ import annotations

import asyncio
import json
from time import perf_counter
from typing import NamedTuple

import numpy as np


class Asked(NamedTuple):
    """What came of it."""

    per_second: float
    p99: float  # milliseconds


def request_of(text: str, port: int) -> bytes:
    """Return a request for the topic of one text."""
    body = json.dumps({"texts": [text]}).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ask(
    port: int, texts: list[str], seconds: float, *, n_clients: int = 4, rate: float | None = None
) -> Asked:
    """Ask from some connections, each after its last answer; with `rate`, so often a second."""
    return asyncio.run(_ask(port, texts, seconds, n_clients, rate))


async def _ask(
    port: int, texts: list[str], seconds: float, n_clients: int, rate: float | None
) -> Asked:
    requests = [request_of(text, port) for text in texts]
    took: list[float] = []
    began = perf_counter()

    async def work(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        i, due = number, began + number / (rate or 1)
        while (now := perf_counter()) < began + seconds:
            if rate is not None:
                await asyncio.sleep(max(0.0, due - now))
                due += n_clients / rate
            asked = perf_counter()
            writer.write(requests[i % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            [size] = [line for line in head.lower().split(b"\r\n") if b"content-length" in line]
            await reader.readexactly(int(size.partition(b":")[2]))
            took.append(perf_counter() - asked)
            i += n_clients
        writer.close()

    await asyncio.gather(*(work(number) for number in range(n_clients)))
    return Asked(len(took) / (perf_counter() - began), 1e3 * float(np.quantile(took, 0.99)))
