"""The command `corpora`: which texts are known, and how to get them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="List known corpora of text, and get those that can be fetched.")


@app.callback(invoke_without_command=True, epilog="Example: [bold]spectralleader corpora[/bold]")
def corpora_list(context: typer.Context) -> None:
    """List the corpora that are known: size, dates, role, licence as stated, how to get each."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console
    from rich.table import Table

    from spectralleader.sources.corpora import CORPORA, find_files

    table = Table(
        "name", "documents", "what it is, role, licence as stated, how to get it", box=None
    )
    for name, corpus in CORPORA.items():
        size = "-" if corpus.n_docs is None else f"{corpus.n_docs:,}"
        how = "is here" if find_files(name) else corpus.how
        about = f"{corpus.what}, {corpus.dates}, for {corpus.role}\n"
        about += f"licence: {corpus.licence}\n{how}\n"
        table.add_row(name, size, about)
    Console().print(table)


@app.command("get", epilog="Example: [bold]spectralleader corpora get health_tweets[/bold]")
def corpora_get(
    name: Annotated[str, typer.Argument(help="Of a corpus that can be fetched.")],
    to: Annotated[
        Path | None, typer.Option(help="Folder to put it in; the cache if not given.")
    ] = None,
) -> None:
    """Fetch a corpus, check it, and print where it is."""
    from rich.console import Console

    from spectralleader.sources.corpora import CORPORA, get

    with Console(stderr=True).status(f"getting {name}") as status:
        file = get(name, to, say=status.update)
    typer.echo(f"licence: {CORPORA[name].licence}", err=True)
    typer.echo(file)
