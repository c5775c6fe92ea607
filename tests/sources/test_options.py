"""The options that all sources share."""

from dataclasses import fields
from typing import get_args

import pytest

from spectralleader.cli.options import make_record, read_options
from spectralleader.jobs.settings import LearnSettings
from spectralleader.learners import DEFAULT_LEARNER
from spectralleader.serve import ServeOptions
from spectralleader.sources import SourceOptions, open_source, read
from spectralleader.sources.files import formats
from spectralleader.sources.options import FORMATS, describe_fields
from spectralleader.text.vectoriser import MIN_COUNT


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


def test_commands_offer_the_fields_with_their_names_types_defaults_and_descriptions():
    names = [field.name for field in fields(SourceOptions) if "flag" in field.metadata]
    described = describe_fields(SourceOptions)
    for option in read_options(SourceOptions, names):
        assert option.default.help == described[option.name]
    [follow, block, start] = read_options(SourceOptions, ["follow", "block", "start"])
    assert follow.default.param_decls == ("--follow/--no-follow",)
    assert (block.annotation, block.default.default, block.default.min) == (int, 100, 1)
    assert start.default.param_decls == ("--from",)
    assert get_args(start.annotation) == ("earliest", "latest")


def test_what_is_given_on_the_command_line_is_a_record_of_options():
    given = make_record(SourceOptions, text="a, b", block=7, time=None, follow=None)
    assert given == SourceOptions(text=("a", "b"), block=7)
    assert make_record(SourceOptions, keep="id", header=False).keep == ("id",)


def test_formats_of_options_are_those_that_are_read():
    assert set(FORMATS) == set(formats.FORMATS)


def test_defaults_that_are_spelled_twice_are_those_of_the_library():
    settings = LearnSettings()
    assert (settings.learner, settings.min_count) == (DEFAULT_LEARNER, MIN_COUNT)


@pytest.mark.parametrize("record", [LearnSettings, ServeOptions])
def test_a_record_without_names_offers_all_its_options(record):
    assert [option.name for option in read_options(record)] == [one.name for one in fields(record)]
    given = {option.name: option.default.default for option in read_options(record)}
    assert make_record(record, **given) == record()
