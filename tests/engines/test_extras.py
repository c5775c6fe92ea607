"""Without its engine an adapter says in one line what to install."""

import importlib
import sys

import pytest


@pytest.mark.parametrize(("name", "missing"), [("dask", "distributed"), ("spark", "pyspark")])
def test_an_adapter_without_its_engine_names_the_extra(monkeypatch, name, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"spectralleader.engines.{name}", raising=False)
    with pytest.raises(ImportError, match=rf"^[^\n]*requires the extra '{name}': pip install .*$"):
        importlib.import_module(f"spectralleader.engines.{name}")
