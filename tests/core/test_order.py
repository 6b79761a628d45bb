"""The order of whole numbers is NumPy's, whatever their type and however far apart they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.order import find_keys, row_keys, stable_argsort, turns

INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
NARROW = st.sampled_from([np.int8, np.int16, np.int32, np.uint32])
COLUMNS = INTEGERS.flatmap(lambda dtype: arrays.arrays(dtype, st.integers(0, 60)))


@given(COLUMNS)
def test_the_order_is_numpys_stable_one(keys):
    assert stable_argsort(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("span", [1, 200, 60_000, 1 << 30, 1 << 60])
@pytest.mark.parametrize("least", [-5, 0, 1 << 40])
def test_equal_keys_stay_in_their_order(span, least):
    keys = least + np.random.default_rng(span).integers(0, 40, 5000) * (span // 40 + 1)
    assert stable_argsort(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint64])
def test_the_largest_numbers_of_a_type_are_no_trouble(dtype):
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    for keys in ([most, most - 70_000 % most, most - 1, most], [most, least, 0, most, least]):
        keys = np.array(keys, dtype)
        assert stable_argsort(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@given(st.integers(0, 40).flatmap(lambda n: st.lists(
    NARROW.flatmap(lambda dtype: arrays.arrays(dtype, n)), min_size=1, max_size=9)))  # fmt: skip
def test_rows_have_the_same_number_where_they_are_alike_and_are_in_order(columns):
    keys, rows = row_keys(*columns).tolist(), list(zip(*(c.tolist() for c in columns), strict=True))
    for key, row in zip(keys, rows, strict=True):
        assert [key < other for other in keys] == [row < other for other in rows]


@given(COLUMNS)
def test_of_each_number_those_before_it_are_counted(keys):
    told = keys.tolist()
    assert turns(keys).tolist() == [told[:place].count(key) for place, key in enumerate(told)]


@given(st.lists(st.integers(-9, 9), min_size=1), st.lists(st.integers(-12, 12)))
def test_a_key_is_found_at_its_first_place_and_any_other_key_is_not_found(keys, wanted):
    keys.sort()
    places, found = find_keys(np.array(keys), np.array(wanted, np.int64))
    assert found.tolist() == [key in keys for key in wanted]
    for key, place, is_found in zip(wanted, places.tolist(), found.tolist(), strict=True):
        assert place == keys.index(key) if is_found else 0 <= place < len(keys)
