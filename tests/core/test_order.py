"""The order of whole numbers is NumPy's, whatever their type and however far apart they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.order import stable_argsort

INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
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
