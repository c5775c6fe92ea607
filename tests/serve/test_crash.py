"""kill -9 under load: nothing acknowledged is lost, and nothing is learned twice."""

import http.client
import random
import threading
import time

from spectralleader import load
from tests.factories import texts
from tests.serve.serving import Serving

WRITTEN = texts(400)[0]
N_CLIENTS, N_KILLS = 4, 3


class Client(threading.Thread):
    """Posts batches one after the other, each again under its id until it is acknowledged."""

    def __init__(self, number, where):
        super().__init__(daemon=True)
        self.number, self.where = number, where
        self.n_acknowledged = self.n_again = 0
        self.rng = random.Random(number)
        self.ends = threading.Event()

    def run(self):
        batch = 0
        while not self.ends.is_set():
            n = self.rng.randint(1, 30)
            body = {"texts": self.rng.sample(WRITTEN, n), "id": f"{self.number}-{batch}"}
            while True:
                try:
                    answer = self.where[0].post("/learn", body)
                except (OSError, http.client.HTTPException):
                    self.n_again += 1
                    time.sleep(0.05)
                    continue
                if answer.status == 202:
                    assert sum(answer.json.values()) == n
                    break
                time.sleep(0.05)
            self.n_acknowledged += n
            batch += 1


def test_nothing_acknowledged_is_lost_or_learned_twice(tmp_path):
    path = tmp_path / "t.model"
    options = ("-k", "3", "--checkpoint-every", "1s")
    where = [Serving(path, *options)]
    clients = [Client(number, where) for number in range(N_CLIENTS)]
    try:
        for client in clients:
            client.start()
        for kill in range(N_KILLS):
            time.sleep(1.7 + 0.3 * kill)
            where[0].kill()
            where[0] = Serving(path, *options)
        time.sleep(0.5)
        for client in clients:
            client.ends.set()
        for client in clients:
            client.join(30)
        n_sent = sum(client.n_acknowledged for client in clients)
        where[0].wait(lambda: where[0].n_docs >= n_sent)
        time.sleep(1.0)
        assert where[0].n_docs == n_sent
        assert where[0].stop()[0] == 0
    finally:
        where[0].__exit__()
    assert n_sent > 500
    assert load(path).n_docs == n_sent


def test_a_deleted_inbox_stops_posts_and_the_end_of_the_service_saves_what_was_accepted(tmp_path):
    path = tmp_path / "t.model"
    with Serving(path, "-k", "2", "--checkpoint-every", "1h") as service:
        assert service.post("/learn", {"texts": WRITTEN[:10], "id": "1"}).status == 202
        (tmp_path / "t.model.inbox").unlink()
        assert service.post("/learn", {"texts": WRITTEN[:10], "id": "2"}).status == 507
        assert "restart" in service.get("/readyz").json["problems"][0]
        service.wait(lambda: service.n_docs == 10)
        assert service.stop()[0] == 0
    assert load(path).n_docs == 10


def test_an_idle_service_reports_no_loss_when_it_is_restarted(tmp_path):
    for _ in range(2):
        with Serving(tmp_path / "t.model") as service:
            assert service.stop()[0] == 0
        assert "lost" not in service.said
