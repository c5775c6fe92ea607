"""The options that all sources share."""

import pytest

from spectralleader.sources import SourceOptions, open_source, read


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"block": 0}, "block must be at least 1, got 0"),
        ({"start": "middle"}, "start must be one of earliest, latest, got 'middle'"),
        ({"wait": float("nan")}, "wait must be at least 0 seconds, got nan"),
        ({"encoding": "hex"}, "unknown text encoding 'hex'"),
        ({"time_format": "%Q"}, "'%Q' is not a format of times"),
    ],
)
def test_an_option_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        SourceOptions(**wrong)


def test_an_option_of_files_is_not_ignored_in_a_live_source(tmp_path):
    for wrong, message in (
        ({"encoding": "latin-1"}, "read as UTF-8"),
        ({"time_format": "%Y"}, "have known formats"),
        ({"header": False}, "have no header"),
        ({"sort": True}, "cannot be sorted"),
    ):
        with pytest.raises(ValueError, match=message):
            open_source(tmp_path, **wrong)


def test_a_file_is_followed_by_another_function(tmp_path):
    with pytest.raises(ValueError, match="use open_source"):
        read(tmp_path / "a.txt", follow=True)


def test_an_option_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(TypeError, match="columns"):
        read(tmp_path / "a.txt", columns="text")


def test_the_columns_that_are_named():
    assert SourceOptions(text="a").named == ("a",)
    assert SourceOptions(text=["a", "b"]).named == ("a", "b")
    assert SourceOptions(tokens="a").named == ("a",)
    assert SourceOptions(text="", tokens="").named == ()
