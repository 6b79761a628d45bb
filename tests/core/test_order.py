"""The order of whole numbers is NumPy's, whatever their type and however far apart they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.order import distinct, stable_order

INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
COLUMNS = INTEGERS.flatmap(lambda dtype: arrays.arrays(dtype, st.integers(0, 60)))


@given(COLUMNS)
def test_the_order_is_numpys_stable_one(keys):
    assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("span", [1, 200, 60_000, 1 << 30, 1 << 60])
@pytest.mark.parametrize("least", [-5, 0, 1 << 40])
def test_equal_keys_stay_in_their_order(span, least):
    keys = least + np.random.default_rng(span).integers(0, 40, 5000) * (span // 40 + 1)
    assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint64])
def test_the_largest_numbers_of_a_type_are_no_trouble(dtype):
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    for keys in ([most, most - 70_000 % most, most - 1, most], [most, least, 0, most, least]):
        keys = np.array(keys, dtype)
        assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@given(COLUMNS)
def test_distinct_keys_are_numpys_unique_ones(keys):
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    found = distinct(keys)
    assert (found[0].tolist(), found[1].tolist()) == (first.tolist(), which.tolist())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_distinct_keys_may_be_further_apart_than_their_type_can_tell(dtype):
    least, many = np.iinfo(dtype).min, np.arange(300) % 200
    for start in (least, np.iinfo(dtype).max - 199):
        keys = np.array([start + int(n) for n in many], dtype)
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        found = distinct(keys)
        assert (found[0].tolist(), found[1].tolist()) == (first.tolist(), which.tolist())
