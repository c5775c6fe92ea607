"""The command warm-up: kernels compiled before they are needed."""

from __future__ import annotations

import typer

from spectralleader.cli.options import Json, print_json, stoppable

app = typer.Typer()


@app.command(
    "warm-up",
    epilog="Example, in a Dockerfile: [bold]ENV NUMBA_CACHE_DIR=/opt/kernels[/bold], then "
    "[bold]RUN spectralleader warm-up[/bold]",
)
def warm_up(as_json: Json = False) -> None:
    """Compile all kernels now, so that nothing is compiled when they are first used.

    They are kept in the folder that NUMBA_CACHE_DIR names, else beside the package, else in the
    cache of the user, and hold for this version, this Python and this kind of processor.
    """
    with stoppable():
        from spectralleader.cli.display import watching
        from spectralleader.jobs.warming import warm_up

        with watching():
            folder, n_kernels, seconds = warm_up()
    if as_json:
        return print_json(
            {"kernels": n_kernels, "seconds": seconds, "folder": folder and str(folder)}
        )
    kept = f"kept in {folder}" if folder is not None else "not kept: no folder can be written"
    typer.echo(f"{n_kernels} kernels are ready after {seconds:.1f} s; {kept}")
