"""The command merge: combine models of separate streams."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spectralleader.cli.options import (
    Json,
    OwnLearner,
    Seed,
    check_folder,
    check_is_file,
    print_json,
    stoppable,
    trust_learner,
)

app = typer.Typer()


@app.command(
    epilog="Example: [bold]spectralleader merge monday.model tuesday.model -o both.model[/bold]"
)
def merge(
    models: Annotated[
        list[str],
        typer.Argument(help="Two or more models saved by learn --save.", metavar="A B"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="C", help="Save the result here.")],
    learner: OwnLearner = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Merge models of separate streams into one, as if learned from a single stream.

    The models must have the same settings; their vocabularies are united. A
    document that two of them have learned counts twice.
    """
    check_folder(out)
    for name in models:
        check_is_file(name)
    with stoppable(saves=True):
        from spectralleader.cli.tables import show_merged
        from spectralleader.jobs import merge

        trust_learner(learner)
        result = merge(models, out, seed=seed)
    print_json(result.summary()) if as_json else show_merged(result)
