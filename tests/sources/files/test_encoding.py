import gzip
import json

import polars as pl
import pytest

from spectralleader.jobs import Source
from spectralleader.sources import read
from spectralleader.sources.files import byte_stream, problems

TEXTS = ["Grüße aus Köln", "naïve café", "plain"]


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "UTF8"]
)
@pytest.mark.parametrize("kind", ["csv", "txt", "jsonl"])
def test_text_of_another_encoding_is_read_when_it_is_named(encoding, kind, tmp_path):
    file = tmp_path / f"a.{kind}"
    rows = {
        "csv": ["text", *TEXTS],
        "txt": TEXTS,
        "jsonl": [json.dumps({"text": text}, ensure_ascii=False) for text in TEXTS],
    }
    file.write_bytes("".join(f"{row}\r\n" for row in rows[kind]).encode(encoding))
    assert next(read(file, text="text", encoding=encoding)).texts == TEXTS
    (tmp_path / "b.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert next(read(tmp_path / "b.gz", format=None if kind == "txt" else kind,
                     encoding=encoding, text="text")).texts == TEXTS  # fmt: skip


def test_a_character_may_be_cut_by_the_end_of_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_stream, "CHUNK", 7)
    file = tmp_path / "a.txt"
    file.write_bytes("".join(f"日本語 {i}\n" for i in range(50)).encode("shift_jis"))
    found = [text for block in read(file, encoding="shift_jis") for text in block.texts]
    assert found == [f"日本語 {i}" for i in range(50)]


def test_an_encoding_that_is_wrong_or_unknown_is_named(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(b"caf\xe9\nplain\n\x81\n")
    reader = read(file)
    assert next(reader).texts == ["plain"]
    assert "--encoding latin-1" in reader.problems.summary()[0]
    reader = read(file, encoding="cp1252")  # which has no character 0x81
    assert next(reader).texts == ["café", "plain"]
    assert reader.problems.counts == {problems.UNDECODABLE: 1}
    with pytest.raises(ValueError, match=r"line 1: not UTF-8 text; .* --encoding latin-1"):
        next(read(file, strict=True))
    for unknown in ("klingon", "rot13", "hex"):
        with pytest.raises(
            ValueError, match=f"unknown text encoding '{unknown}'; common ones are utf-8"
        ):
            read(file, encoding=unknown)
    file.write_bytes(b"\x00\xd8a\x00")
    with pytest.raises(ValueError, match="is not utf-16-le text; name another encoding"):
        read(file, encoding="utf-16-le")
    pl.DataFrame({"text": TEXTS}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="is Parquet, which is always UTF-8"):
        read(tmp_path / "a.parquet", encoding="latin-1")


def test_a_live_source_is_utf_8():
    with pytest.raises(ValueError, match="as UTF-8; omit --encoding"):
        Source(("redis://localhost/0/posts",), encoding="latin-1")
    assert Source(("redis://localhost/0/posts",), encoding="utf-8").encoding == "utf-8"
