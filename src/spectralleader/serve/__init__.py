"""A service over HTTP: learns in one thread, answers from snapshots, and shows a live page.

Here belongs what speaks HTTP. Learning is `jobs.run`, as for `learn`; the page is that of `page`.
"""

from dataclasses import dataclass
from pathlib import Path

from spectralleader.sources.options import option


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """How a model is served. The command has options of these names, and says the same of them.

    Parameters
    ----------
    host : str
        Address to listen on; any but loopback requires a token.
    port : int
        Port to listen on; 0 selects a free one.
    token_file : path, optional
        File with a token that clients must send as bearer token or password.
    read_token_file : path, optional
        File with a token for requests that change nothing.

        Both files are read again after SIGHUP.
    log : str
        Format of the log.
    insecure : bool
        Listen on any address without a token: everyone who can connect can read and change the
        model.
    read_only : bool
        Answer requests from MODEL without learning.
    max_body : int
        Maximum size of a request in bytes.
    max_batch : int
        Maximum documents per request.
    max_requests : int
        Maximum concurrent requests.
    """

    host: str = option("127.0.0.1")
    port: int = option(8000, least=0, most=65535)
    token_file: str | Path | None = option(None, metavar="FILE")
    read_token_file: str | Path | None = option(None, metavar="FILE")
    log: str = option("text", values=("text", "json"))
    insecure: bool = option(False, "--insecure")
    read_only: bool = option(False, "--read-only")
    max_body: int = option(4_000_000, least=1000)
    max_batch: int = option(1000, least=1)
    max_requests: int = option(64, least=1)
