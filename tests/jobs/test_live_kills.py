import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from spectralleader.storage import load_checkpoint
from tests.factories import comparable, same_state
from tests.servers import KafkaCluster, needs_kafka, needs_redis

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills as Unix does")
ROOT, MODULE = Path(__file__).parents[2], "tests.jobs.live_kill_chain"
N_DOCS, BLOCK = 4000, 20


def disturb(tmp_path, **options):
    """Run the chain of kills; return what it tells."""
    saved, whole = tmp_path / "model", tmp_path / "whole"
    options = {
        "learn": {"n_topics": 3, "vocabulary": "grow:60"},
        "n_docs": N_DOCS,
        "save": str(saved),
        "whole": str(whole),
        "seed": 1,
        **options,
    }
    done = subprocess.run(
        [sys.executable, "-m", MODULE, json.dumps(options)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["n_kills"] == options["n_kills"]
    assert told["n_docs"] == sorted(told["n_docs"])  # nothing that was saved is lost
    assert told["n_docs"][-1] < N_DOCS  # they are spread over the run
    return told


@needs_redis
def test_a_consumer_of_redis_survives_34_kills_and_restarts_of_the_broker_bit_for_bit(tmp_path):
    (tmp_path / "redis").mkdir()
    source = {"block": BLOCK, "text": ["text"]}
    told = disturb(tmp_path, source=source, redis=str(tmp_path / "redis"), n_kills=34)
    assert same_state(comparable(tmp_path / "model"), comparable(tmp_path / "whole"))
    assert told["n_restarts"] == 7
    assert told["n_docs"][-1] > N_DOCS / 4


@needs_kafka
def test_a_consumer_of_one_partition_of_kafka_survives_12_kills_bit_for_bit(tmp_path):
    cluster = KafkaCluster()
    texts = [f"{'rain wind' if i % 2 else 'late goal'} rare{i % 97}" for i in range(N_DOCS)]
    cluster.fill("clicks", [json.dumps({"text": text}) for text in texts], n_partitions=1)
    source = {"block": BLOCK, "files": [f"{cluster.address}/clicks"]}
    disturb(tmp_path, source=source, n_kills=12)
    assert same_state(comparable(tmp_path / "model"), comparable(tmp_path / "whole"))


@needs_kafka
def test_a_consumer_of_four_partitions_of_kafka_learns_every_message_once_under_kills(tmp_path):
    cluster = KafkaCluster()
    words = [f"word{i % 397}" for i in range(N_DOCS)]
    cluster.fill("clicks", [json.dumps({"text": word}) for word in words])
    source = {"block": BLOCK, "files": [f"{cluster.address}/clicks"]}
    how = {"n_topics": 3, "vocabulary": "grow:500", "min_count": 1}
    disturb(tmp_path, source=source, n_kills=12, learn=how)
    learned = load_checkpoint(tmp_path / "model")
    counts = learned.run.unigram.to_state()["counts"]
    found = dict(zip(learned.topics.vocabulary, counts.tolist(), strict=True))
    assert found == Counter(words)
    assert sum(learned.topics.position["at"]["offsets"].values()) == N_DOCS
