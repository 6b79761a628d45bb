import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification


@pytest.mark.parametrize(
    ("specification", "rows"),
    [
        (Specification(batch=30, data=100, warmup=0), [30, 30, 30, 10]),
        (Specification(batch=30, data=100, warmup=2), [30, 30, 30, 30, 30, 10]),
        (Specification(batch=30, data=100, warmup=0, steps=6), [30, 30, 30, 10, 30, 30]),
        (Specification(batch=8, steps=2, warmup=1), [8, 8, 8]),
        (Specification(batch=30, data=10, warmup=1), [10, 10]),
    ],
)
def test_an_epoch_is_cut_into_batches_after_the_warm_up(specification, rows):
    assert specification.all_rows == rows


def test_a_specification_survives_its_way_through_json():
    specification = Specification(
        "dp", ModelSettings("gpt", depth=3), "3xcpu", batch=7, verify=True
    )
    assert Specification.from_dict(specification.to_dict() | {"unknown": 1}) == specification
