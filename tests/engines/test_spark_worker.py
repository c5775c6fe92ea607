import gc
import sys
import zipfile
from zipimport import zipimporter

from spectralleader.engines.spark_worker import settle


def archive(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("some/module.py", "")
    return str(path)


def test_archives_of_spark_are_not_read_again_and_modules_are_no_garbage(tmp_path, monkeypatch):
    finders = {}
    for name in ("pyspark.zip", "py4j-0.1-src.zip", "mine.zip"):
        path = archive(tmp_path / name)
        finders |= {path: zipimporter(path), f"{path}/some": zipimporter(f"{path}/some")}
    monkeypatch.setattr(sys, "path_importer_cache", finders)
    try:
        settle("a pass")
        assert gc.get_freeze_count() > 1000
        assert [path.removeprefix(str(tmp_path)) for path in finders] == [
            "/mine.zip",
            "/mine.zip/some",
        ]
    finally:
        gc.unfreeze()
