import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories import comparable, same_state, texts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills as Unix does")
SCRIPT = Path(__file__).parent / "kill_chain.py"


def test_learning_survives_36_kills_to_the_bit(tmp_path):
    lines = [f"{text} rare{i % 97}" for i, text in enumerate(texts(5200)[0])]
    (tmp_path / "news.txt").write_text("\n".join(lines))
    saved, whole = tmp_path / "model", tmp_path / "whole"
    options = {
        "source": {"files": [str(tmp_path / "news.txt")], "block": 40},
        "learn": {"n_topics": 3, "vocabulary": "grow:60", "save": str(saved)},
        "whole": str(whole),
        "seed": 1,
    }
    done = subprocess.run(
        [sys.executable, str(SCRIPT), json.dumps(options)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["n_kills"] == 36
    assert told["n_docs"] == sorted(told["n_docs"])  # nothing that was saved is lost
    assert 3600 <= told["n_docs"][-1] < 5200  # they are spread over the run
    assert same_state(comparable(saved), comparable(whole))
    # neither a lock nor what a kill left half-written stays
    assert {path.name for path in tmp_path.iterdir()} == {"news.txt", "model", "whole"}
