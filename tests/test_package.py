import subprocess
import sys

import pytest

import spectralleader
from spectralleader.errors import EXTRAS


def test_every_public_name_is_there():
    for name in spectralleader.__all__:
        assert getattr(spectralleader, name) is not None
    assert dir(spectralleader) == sorted(spectralleader.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        spectralleader.Nothing  # noqa: B018  # reading the name is the point


@pytest.mark.parametrize("name", ["sklearn", "river"])
def test_without_its_library_an_adapter_says_what_to_install(name):
    code = f"import sys; sys.modules['{name}'] = None; import spectralleader.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert (
        f"requires the extra {name!r}: pip install {EXTRAS[name]}" in done.stderr.splitlines()[-1]
    )
