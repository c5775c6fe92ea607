"""The folder in which downloaded corpora are cached, by the platform's convention."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CACHE_VARIABLE = "SPECTRALLEADER_CACHE"


def cache_folder() -> Path:
    """Return the folder for downloads; the variable SPECTRALLEADER_CACHE overrides it."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own)
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "spectralleader" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "spectralleader"
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification says to ignore relative paths.
    return (Path(xdg) if Path(xdg).is_absolute() else home / ".cache") / "spectralleader"
