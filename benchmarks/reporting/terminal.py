"""The tables on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.machine import in_words
from benchmarks.reporting.labels import label_tables
from benchmarks.reporting.quality import quality_tables
from benchmarks.reporting.service import figure_table, verdict_table
from benchmarks.reporting.tables import Table, tables
from benchmarks.rows import Results

STYLES = {"reached": "green", "not reached": "bold red", "not measured": "yellow"}


def show(results: Results, console: Console) -> None:
    """Print every table, verdicts last, then what was learned from and who was left out."""
    judged, *measured = tables(results)
    for table in (*measured, *label_tables(results), *quality_tables(results)):
        console.print(_rich(table))
    if measured:
        console.print(_rich(judged))
    for table in (figure_table(results), verdict_table(results)):
        if table.rows:
            console.print(_rich(table))
    console.print(f"Documents: {results.stream}.")
    console.print(in_words(results.machine))
    for name, reason in results.left_out.items():
        console.print(f"[yellow]Left out: {name} ({reason})[/]")
    console.print(f"Took {results.seconds:.0f} s.")


def _rich(table: Table) -> RichTable:
    rich = RichTable(title=table.title, title_justify="left")
    for i, name in enumerate(table.heading):
        rich.add_column(name, justify="left" if i == 0 else "right")
    for row in table.rows:
        rich.add_row(*row, style=STYLES.get(row[-1]))
    return rich
