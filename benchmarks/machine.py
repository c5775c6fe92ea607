"""The machine and the versions, without anything that names either of them."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

PACKAGES = (
    "spectralleader", "numpy", "scipy", "numba", "scikit-learn", "gensim", "river", "vowpalwabbit"
)  # fmt: skip


def describe() -> dict[str, str]:
    """Return what a reader needs to compare numbers."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores available, one thread used",
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "load at the start": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?",
        "Python": platform.python_version(),
        **{name: found for name in PACKAGES if (found := _version(name))},
    }


def in_words(machine: dict[str, str]) -> str:
    """Return the machine and the versions in one line."""
    return "; ".join(f"{name} {value}" for name, value in machine.items())


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
