"""The command warm-up: compile all kernels in advance."""

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
    """Compile all kernels in advance, so that later commands start without compiling.

    Kernels are cached in NUMBA_CACHE_DIR if set, else beside the package or in
    the user's cache. The cache is valid for this version, this Python and this
    type of processor.
    """
    with stoppable():
        from spectralleader.cli.display import watching
        from spectralleader.jobs.warm_up import warm_up

        with watching():
            folder, n_kernels, seconds = warm_up()
    if as_json:
        return print_json(
            {"kernels": n_kernels, "seconds": seconds, "folder": folder and str(folder)}
        )
    kept = f"cached in {folder}" if folder is not None else "not cached: no folder is writable"
    typer.echo(f"{n_kernels} kernels ready after {seconds:.1f} s; {kept}")
