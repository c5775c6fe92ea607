"""Output: lines break between words on a terminal, and have no trailing spaces in a file."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spectralleader.cli import exits
from spectralleader.cli.tables import PlainConsole, make_output, say, say_hanging, say_whole

WORDS = "provisional topics may be replaced by better ones " * 4


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(show, text, *, terminal=True):
    out = Console(file=io.StringIO(), force_terminal=terminal, width=40, color_system=None)
    show(out, text)
    return out.file.getvalue().splitlines()


def is_broken_between_words(lines, width):
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == WORDS.split()
    return len(lines) > 1


def test_lines_break_between_words_on_a_terminal_only():
    assert is_broken_between_words(printed(say, WORDS), 40)
    assert len(printed(say, WORDS, terminal=False)) == 1
    assert len(printed(say_whole, WORDS)) == 1


def test_further_lines_are_indented():
    first, *others = printed(say_hanging, Text(WORDS))
    assert first.startswith("provisional")
    assert others
    assert all(line.startswith("    ") and line[4] != " " for line in others)
    assert is_broken_between_words([first, *others], 40)
    assert printed(say_hanging, Text("short")) == ["short"]


def test_redirected_output_has_no_trailing_spaces(capsys):
    assert isinstance(make_output(), PlainConsole)
    table = Table("name", "documents", box=None)
    table.add_row("a", "1")
    make_output().print(table)
    assert capsys.readouterr().out.splitlines() == [" name  documents", " a     1"]


def test_messages_on_standard_error_break_between_words_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr", Terminal())
    exits.warn(WORDS.strip())
    assert is_broken_between_words(exits.sys.stderr.getvalue().splitlines(), 40)


def test_messages_on_redirected_standard_error_are_one_line(capsys):
    exits.warn(WORDS.strip())
    assert capsys.readouterr().err == WORDS.strip() + "\n"
