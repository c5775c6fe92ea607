"""The rules of the house that no other tool holds: ``make lint`` runs them over the library.

- The library and each room, a group of folders, stay within a budget of code lines and files.
- Names in backticks exist.
- No call splats two local tuples: what belongs together is one argument with a name.
- A numeric constant has a reason beside it.
- Every room has comments that give reasons.

A budget is raised only with an entry in docs/decisions.md.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "src" / "spectralleader"
HERE = "(root)"  # modules that are in no folder


class Budget(NamedTuple):
    """The most code lines and files of a room, and of the whole library."""

    lines: int
    files: int


# Code lines are those without docstrings, comments and blank lines.
TOTAL = Budget(18_560, 185)
ROOMS = {
    "runtime": Budget(470, 6),
    "documents, models, samples, moments, spectral, em": Budget(3_300, 38),
    "learners": Budget(2_690, 29),
    "text, topics, reading": Budget(2_915, 22),
    "sources": Budget(2_675, 25),
    "jobs, cli": Budget(2_530, 21),
    "storage, evaluation": Budget(705, 10),
    "serve, page": Budget(1_565, 12),
    f"engines, testing, checks, {HERE}": Budget(1_660, 22),
}
LONGEST = 400  # code lines of a file: a noun that needs more is two
COMMENTS = 0.03  # own-line comments per code line of a room, at least
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
QUOTED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")  # a name in single backticks
EVIDENT = {-1, 0, 1, 2}  # numbers that need no reason


class Module:
    """A source file, read once."""

    def __init__(self, path: Path, root: Path) -> None:
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.tokens = list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @property
    def folder(self) -> str:
        """The folder of the library that the module is in."""
        return self.name.split("/")[0] if "/" in self.name else HERE

    @cached_property
    def comments(self) -> dict[int, bool]:
        """The lines with a comment; whether it has the line to itself."""
        return {
            token.start[0]: not token.line[: token.start[1]].strip()
            for token in self.tokens
            if token.type == tokenize.COMMENT
        }

    @cached_property
    def n_lines(self) -> int:
        """Number of code lines."""
        code = {
            line
            for token in self.tokens
            if token.type not in NO_CODE
            for line in range(token.start[0], token.end[0] + 1)
        }
        return len(code - {line for node in self.docstrings for line in _lines(node)})

    @cached_property
    def docstrings(self) -> list[ast.Expr]:
        """The docstrings, those of attributes and constants included."""
        bodies = [node.body for node in ast.walk(self.tree) if isinstance(node, DOCUMENTED)]
        return [line for body in bodies for line in body if _is_text(line)]


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a string and nothing else."""
    is_value = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_value and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def over_budget(modules: list[Module]) -> Iterator[str]:
    """Yield what has more lines or files than it may."""
    yield from _above("the library", modules, TOTAL)
    for names, budget in ROOMS.items():
        yield from _above(
            names, [one for one in modules if one.folder in names.split(", ")], budget
        )
    for module in modules:
        if module.n_lines > LONGEST:
            yield f"{module.name}: {module.n_lines} code lines, at most {LONGEST}"


def _above(where: str, modules: list[Module], budget: Budget) -> Iterator[str]:
    n_lines = sum(module.n_lines for module in modules)
    if n_lines > budget.lines:
        yield f"{where}: {n_lines:,} code lines, at most {budget.lines:,}"
    if len(modules) > budget.files:
        yield f"{where}: {len(modules)} files, at most {budget.files}"


def _folders(modules: list[Module]) -> list[str]:
    return sorted({module.folder for module in modules})


def homeless(modules: list[Module]) -> Iterator[str]:
    """Yield folders that are in no room."""
    rooms = {folder for names in ROOMS for folder in names.split(", ")}
    yield from (f"{folder}: in no room" for folder in _folders(modules) if folder not in rooms)


def dead_names(modules: list[Module]) -> Iterator[str]:
    """Yield names in backticks that nothing in the library has."""
    known = set().union(*map(names_of, modules))
    for module in modules:
        for token in module.tokens:
            if token.type in {tokenize.COMMENT, tokenize.STRING}:
                for name in QUOTED.findall(token.string):
                    if not known.issuperset(name.split(".")):
                        yield f"{module.name}:{token.start[0]}: `{name}` does not exist"


def names_of(module: Module) -> set[str]:
    """Return every identifier of a module, the words of its strings and its place."""
    names = {token.string for token in module.tokens if token.type == tokenize.NAME}
    return names | set(module.name.removesuffix(".py").split("/"))


def double_splats(modules: list[Module]) -> Iterator[str]:
    """Yield calls that splat two or more local tuples."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call):
                splatted = [one for one in node.args if isinstance(one, ast.Starred)]
                if sum(isinstance(one.value, ast.Name) for one in splatted) > 1:
                    yield f"{module.name}:{node.lineno}: splats two tuples into one call"


def bare_constants(modules: list[Module]) -> Iterator[str]:
    """Yield numeric constants of modules without a reason beside or above them."""
    for module in modules:
        described = {line.lineno for line in module.tree.body if _is_text(line)}
        for node in module.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_number(node.value):
                near = {node.lineno - 1, *_lines(node)}
                if near.isdisjoint(module.comments) and (node.end_lineno or 0) + 1 not in described:
                    yield f"{module.name}:{node.lineno}: a number without a reason beside it"


def _is_number(node: ast.expr | None) -> bool:
    """Whether a value is a number, or several, and none that explains itself."""
    values = node.elts if isinstance(node, ast.Tuple) else [node]
    numbers = [one.value for one in values if isinstance(one, ast.Constant)]
    return len(numbers) == len(values) and any(
        isinstance(number, int | float) and not isinstance(number, bool) and number not in EVIDENT
        for number in numbers
    )


def silent_rooms(modules: list[Module]) -> Iterator[str]:
    """Yield folders with too few comments that have a line to themselves."""
    for folder in _folders(modules):
        inside = [module for module in modules if module.folder == folder]
        n_lines = sum(module.n_lines for module in inside)
        n_comments = sum(sum(module.comments.values()) for module in inside)
        if n_comments < COMMENTS * n_lines:
            found = f"{n_comments} comments in {n_lines:,} code lines"
            yield f"{folder}: {found}, at least {COMMENTS:.0%}"


LAWS = (over_budget, homeless, dead_names, double_splats, bare_constants, silent_rooms)


def read(root: Path = LIBRARY) -> list[Module]:
    """Return the modules below a folder."""
    return [Module(path, root) for path in sorted(root.rglob("*.py"))]


def main() -> int:
    """Print what breaks a rule; return 1 if something does."""
    modules = read()
    broken = [line for law in LAWS for line in law(modules)]
    for line in broken:
        print(line)
    n_lines = sum(module.n_lines for module in modules)
    print(f"The house: {n_lines:,} code lines in {len(modules)} files; {len(broken)} to mend")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
