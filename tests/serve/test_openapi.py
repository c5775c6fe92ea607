"""The service answers as its OpenAPI description says, to requests that schemathesis makes up."""

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from spectralleader import TextTopics, save
from spectralleader.serve.routes import describe_api
from tests.factories import texts
from tests.serve.serving import Serving

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis, of the extra dev")
GenerationMode = schemathesis.GenerationMode


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    topics = TextTopics(4)
    topics.learn(texts(300)[0])
    with Serving(save(topics, tmp_path_factory.mktemp("api") / "t.model")) as found:
        yield found


# A level of 10^9 is an integer, and yet refused: the description does not know how many topics
# there are, nor whether the model counts texts or tokens.
REJECTION = [schemathesis.checks.negative_data_rejection]
IGNORED = ("positive_data_acceptance",)


def test_every_operation_is_as_described(service):
    # its own plugin for pytest does not work with pytest 9.2: operations are taken one by one
    schema = schemathesis.openapi.from_url(f"{service.address}/openapi.json")
    checks = schemathesis.checks.CHECKS.get_all()
    ignored = [check for check in checks if check.__name__ in IGNORED]
    assert len(ignored) == len(IGNORED)
    asked: Counter[str] = Counter()

    for result in schema.get_all_operations():
        operation = result.ok()

        for mode in GenerationMode:

            @settings(max_examples=40, suppress_health_check=list(HealthCheck))
            @given(case=operation.as_strategy(generation_mode=mode))
            def is_as_described(case):
                answer = case.call()
                # what is too large is refused too, by a status that schemathesis does not expect
                more = REJECTION if answer.status_code == 413 else []
                case.validate_response(answer, excluded_checks=[*ignored, *more])
                asked[case.operation.path] += 1

            with suppress(Unsatisfiable):  # where nothing can be wrong
                is_as_described()
    # the description's own path is left out by schemathesis
    assert set(asked) == set(describe_api(1000)["paths"]) - {"/openapi.json"}
    assert min(asked[path] for path in ("/predict", "/learn", "/topics")) >= 40
    assert service.get("/readyz").status == 200
