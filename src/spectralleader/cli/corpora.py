"""The command `corpora`: list and download known corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli.options import warn

app = typer.Typer(help="List known corpora, and download those that are available.")


@app.callback(invoke_without_command=True, epilog="Example: [bold]spectralleader corpora[/bold]")
def corpora_list(context: typer.Context) -> None:
    """List known corpora: size, dates, role, licence, and how to obtain each."""
    if context.invoked_subcommand is not None:
        return
    from rich.table import Table

    from spectralleader.cli.output import make_output
    from spectralleader.sources.corpora import CORPORA, find_files

    table = Table(
        "name", "documents", "description, role, licence as stated, how to obtain it", box=None
    )
    for name, corpus in CORPORA.items():
        size = "-" if corpus.n_docs is None else f"{corpus.n_docs:,}"
        how = "available" if find_files(name) else corpus.how
        about = f"{corpus.what}, {corpus.dates}, {corpus.role} corpus\n"
        about += f"licence: {corpus.licence}\n{how}\n"
        table.add_row(name, size, about)
    make_output().print(table)


@app.command("get", epilog="Example: [bold]spectralleader corpora get health_tweets[/bold]")
def corpora_get(
    name: Annotated[str, typer.Argument(help="Name of a corpus that can be downloaded.")],
    to: Annotated[Path | None, typer.Option(help="Target folder. Defaults to the cache.")] = None,
) -> None:
    """Download a corpus, verify its checksum, and print its path."""
    from rich.console import Console

    from spectralleader.sources.corpora import CORPORA, get

    with Console(stderr=True).status(f"downloading {name}") as status:
        file = get(name, to, say=status.update)
    warn(f"licence: {CORPORA[name].licence}")
    typer.echo(file)
