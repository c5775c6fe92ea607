"""The rules of the house: each finds what breaks it, and nothing in what keeps it."""

import pytest

from tools import house

BARE = "room/bad.py:1: a number without a reason beside it"
KEPT = '''"""A room: `limit` and `grow`."""

LIMIT = 7  # documents; flat from 5 to 9


def grow(first, second):
    """Return both."""
    # Zero is neutral.
    return print(*first, second)
'''


@pytest.fixture
def modules(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.with_suffix(".py").write_text(text)
        return house.read(tmp_path)

    return write


def test_code_lines_are_those_without_docstrings_comments_and_blank_lines(modules):
    (module,) = modules(room__kept=KEPT)
    assert (module.name, module.folder, module.n_lines) == ("room/kept.py", "room", 3)


@pytest.mark.parametrize("law", house.LAWS[2:])
def test_what_keeps_the_rules_passes(modules, law):
    assert list(law(modules(room__kept=KEPT, room__limit="", kept=KEPT))) == []


@pytest.mark.parametrize(
    ("law", "text", "said"),
    [
        (house.dead_names, '"""See `lost`."""\n', "room/bad.py:1: `lost` does not exist"),
        (house.dead_names, "x = 1  # as `x.lost`\n", "room/bad.py:1: `x.lost` does not exist"),
        (house.double_splats, "f(*a, *b)\n", "room/bad.py:1: splats two tuples into one call"),
        (house.bare_constants, "A = 3\n", BARE),
        (
            house.bare_constants,
            "A, B = 3, 4\n",
            BARE,
        ),
        (house.silent_rooms, "x = f()\n", "room: 0 comments in 1 code lines, at least 3%"),
        (house.homeless, "", "room: in no room"),
    ],
)
def test_what_breaks_a_rule_is_named(modules, law, text, said):
    assert list(law(modules(room__bad=text))) == [said]


def test_reasons_may_stand_above_or_below_a_number(modules):
    text = "# flat\nA = 3\nB = 4\n'''Most.'''\n"
    assert list(house.bare_constants(modules(room__kept=text))) == []


def test_a_room_over_its_budget_is_named(modules, monkeypatch):
    monkeypatch.setattr(house, "ROOMS", {"room": house.Budget(2, 0)})
    monkeypatch.setattr(house, "TOTAL", house.Budget(2, 1))
    assert list(house.over_budget(modules(room__kept=KEPT, room__also="x = 1\n"))) == [
        "the library: 4 code lines, at most 2",
        "the library: 2 files, at most 1",
        "room: 4 code lines, at most 2",
        "room: 2 files, at most 0",
    ]


def test_a_long_file_is_named(modules):
    (said,) = house.over_budget(modules(room__long="x = 1\n" * 401))
    assert said == "room/long.py: 401 code lines, at most 400"
