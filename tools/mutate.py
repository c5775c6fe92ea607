"""Mutation testing: how many small faults in a folder the tests of that folder find.

``python -m tools.mutate documents spectral/power.py`` imports a folder's tests once, notes which
tests call which function, then forks once per mutant: the child swaps the code of one function and
runs the tests that call it until one fails. Only the bodies of functions are mutated: not constants
of modules, defaults of arguments, annotations, strings, error messages or ``__repr__``.
"""

from __future__ import annotations

import ast
import gc
import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tools.equivalent import EQUIVALENT

PACKAGE = Path(__file__).parents[1] / "src" / "spectralleader"
FOLDERS = {
    name: [f"tests/{name}"]
    for name in ("documents", "models", "samples", "moments", "spectral", "em", "evaluation")
}
FOLDERS["samples"] += ["tests/contracts/test_sample_laws.py"]
FOLDERS["learners/hedged/mixing.py"] = ["tests/learners/hedged/test_mixing.py"]
OPTIONS = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:doctest", "-o", "addopts="]
OPTIONS += ["--import-mode=importlib", "--hypothesis-profile=mutation"]
OPTIONS += ["-W", "ignore:overflow encountered:RuntimeWarning"]  # hashes wrap around, in kernels

MEMORY = 2**32  # bytes, of a mutant
PATIENCE = 5.0  # seconds, beside ten times what the tests take: then a mutant hangs, so is killed
SWAPPED: dict[type[ast.AST], type[Any]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.And: ast.Or, ast.Or: ast.And, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
PAIRS = "min max, minimum maximum, argmin argmax, any all, floor ceil, zeros ones"
RENAMED = dict(name for a, b in map(str.split, PAIRS.split(",")) for name in ((a, b), (b, a)))

Place = tuple[str, str, int]  # of a function: its file, qualified name and first line


class Mutant(NamedTuple):
    """A module's source with one fault."""

    place: Place  # of the function
    code: CodeType  # of the function
    change: str


def alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node might be by mistake."""
    if type(node) in SWAPPED:
        yield SWAPPED[type(node)]()
    match node:
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield operand
        case ast.Name(name, ast.Load()) if name in RENAMED:
            yield ast.Name(RENAMED[name], ast.Load())
        case ast.Attribute(value, name, ast.Load()) if name in RENAMED:
            yield ast.Attribute(value, RENAMED[name], ast.Load())
        case ast.If() | ast.While() | ast.IfExp():
            for truth in (True, False):
                yield type(node)(**{**dict(ast.iter_fields(node)), "test": ast.Constant(truth)})
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(**{**dict(ast.iter_fields(node)), "ifs": []})
        case ast.Raise() | ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))


def places(node: ast.AST) -> Iterator[tuple[Any, Any, ast.AST]]:
    """Yield all that may be mutated in a node, as a container, its key and what is there."""
    skipped = {ast.Raise: ("exc", "cause"), ast.AnnAssign: ("annotation",), ast.Assert: ("msg",)}
    skipped |= dict.fromkeys((ast.FunctionDef, ast.Lambda), ("decorator_list", "args", "returns"))
    for field, value in ast.iter_fields(node):
        if field in skipped.get(type(node), ()) or isinstance(node, ast.JoinedStr):
            continue
        for key, child in enumerate(value) if isinstance(value, list) else [(field, value)]:
            if isinstance(child, ast.AST) and getattr(child, "arg", "") != "strict":
                yield (value if isinstance(value, list) else vars(node)), key, child
                yield from places(child)


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name != "__repr__":
            yield within + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{within}{node.name}.")


def codes(code: CodeType) -> dict[Place, CodeType]:
    """Return the code of all functions in a module's or a class's code."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    found = {place_of(const): const for const in inner}
    return {key: value for const in inner for key, value in codes(const).items()} | found


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a module."""
    tree = ast.parse(path.read_text())
    for name, function in functions(tree):
        first = min([function.lineno, *(node.lineno for node in function.decorator_list)])
        place = (str(path), name, first)
        for container, key, node in places(function):
            for new in alternatives(node):
                container[key] = new
                code = codes(compile(ast.fix_missing_locations(tree), str(path), "exec"))[place]
                after = ast.unparse(function)
                container[key] = node
                change = difference(ast.unparse(function), after)
                where = f"{path.relative_to(PACKAGE)} {name}"
                known = any(where == at and change.startswith(start) for at, start in EQUIVALENT)
                if change != " -> " and not known:  # 1e100 + 1 is 1e100
                    yield Mutant(place, code, change)


def difference(before: str, after: str) -> str:
    """Return the lines that differ, as ``before -> after``."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return " -> ".join(" ".join(" ".join(lines).split()) for lines in (old, new))


class Judge:
    """A pytest plugin that runs the collected tests for each mutant, in a process of its own."""

    def __init__(self, folder: str) -> None:
        place = PACKAGE / folder
        self.paths = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        self.fates: Counter[str] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests without a fault, then with each."""
        callers: dict[Place, set[int]] = defaultdict(set)
        seconds: list[float] = []
        files = {str(path) for path in self.paths}

        def note(frame: FrameType, event: str, arg: object) -> None:
            if frame.f_code.co_filename in files:
                callers[place_of(frame.f_code)].add(len(seconds))

        for item in session.items:
            start = time.perf_counter()
            sys.settrace(note)
            reports = runtestprotocol(item, log=False)  # no next item: no fixture outlives it
            sys.settrace(None)
            seconds.append(time.perf_counter() - start)
            if any(report.failed for report in reports):
                raise pytest.UsageError(f"{item.nodeid} fails without a mutant: {reports}")
        print(f"{len(seconds)} tests, {sum(seconds):.0f} s", file=sys.__stdout__)
        if fate(session.items, PATIENCE + 10 * sum(seconds)) != "survived":
            raise pytest.UsageError("a child without a mutant fails: forking breaks a test")
        live = live_functions()
        gc.freeze()
        for mutant in (mutant for path in self.paths for mutant in mutants(path)):
            tests = sorted(callers[mutant.place], key=seconds.__getitem__)
            limit = PATIENCE + 10 * sum(seconds[i] for i in tests)
            items = [session.items[i] for i in tests]
            verdict = fate(items, limit, live[mutant.place], mutant.code)
            self.fates[verdict] += 1
            if verdict != "killed":
                where = f"{Path(mutant.place[0]).relative_to(PACKAGE)} {mutant.place[1]}"
                print(f"{verdict}: {where}: {mutant.change}", file=sys.__stdout__, flush=True)
        return True


def fate(
    tests: list[pytest.Item],
    limit: float,
    functions: Sequence[FunctionType] = (),
    code: CodeType | None = None,
) -> str:
    """Run tests in a process in which functions have other code; return what becomes of it."""
    if not tests:
        return "survived (never called)"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.setitimer(signal.ITIMER_REAL, limit)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            for function in functions:
                function.__code__ = code or function.__code__
            status = int(any(r.failed for test in tests for r in runtestprotocol(test, log=False)))
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    hangs = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    return "hangs" if hangs else "killed" if status else "survived"


def live_functions() -> dict[Place, list[FunctionType]]:
    """Return all functions in memory, by where they are written; decorators may hold them."""
    found = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            found[place_of(thing.__code__)].append(thing)
    return found


def place_of(code: CodeType) -> Place:
    """Return where code is written."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def judge(folder: str) -> Counter[str]:
    """Return how many mutants of a folder had which fate."""
    plugin = Judge(folder)
    tests = FOLDERS.get(folder) or FOLDERS[folder.split("/")[0]]  # of a file: its folder's
    if pytest.main([*OPTIONS, *tests], plugins=[plugin]) not in (0, 5):
        raise SystemExit(f"the tests of {folder} fail without a mutant")
    return plugin.fates


def main() -> None:
    """Judge the folders that are named, or all, and print a table."""
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"}
    rows = []
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for folder in sys.argv[1:] or FOLDERS:
            fates = pool.apply(judge, (folder,))
            survived = sum(n for fate, n in fates.items() if fate.startswith("survived"))
            n = fates.total()
            rows.append(
                f"| {folder} | {n} | {n - survived} | {survived} | {1 - survived / n:.1%} |"
            )
    print(
        "| folder | mutants | killed | survived | score |\n|---|---|---|---|---|", *rows, sep="\n"
    )


if __name__ == "__main__":
    main()
