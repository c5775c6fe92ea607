import pytest

import spectralleader


def test_every_public_name_is_there():
    for name in spectralleader.__all__:
        assert getattr(spectralleader, name) is not None
    assert dir(spectralleader) == sorted(spectralleader.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        spectralleader.Nothing  # noqa: B018  # reading the name is the point
