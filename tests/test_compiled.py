import os
import subprocess
import sys


def test_whether_kernels_are_compiled_is_known(tmp_path):
    code = (
        "from spectralleader.compiled import is_compiled; from spectralleader.model import *;"
        "print(is_compiled(log_joint)); TopicModel([1.0], [[1.0]]).log_prob(Documents.empty(1));"
        "print(is_compiled(log_joint))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == ["False", "True"]
