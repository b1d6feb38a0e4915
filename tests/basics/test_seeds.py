"""Every method's stream is its own: repeatable, apart from the data's, apart from the others'."""

import numpy as np
import pytest

from fi_teach.basics.seeds import own_stream, plain_stream


@pytest.mark.parametrize("seed", [0, 7, np.int32(7), 2**64, [1, 2**70], (3,), np.array([4, 5])])
def test_a_seed_repeats_its_numbers_and_data_are_drawn_from_numpys_own_stream(seed):
    assert own_stream(seed, "a").random() == own_stream(seed, "a").random()
    assert plain_stream(seed).random() == np.random.default_rng(seed).random()


def test_methods_seeds_and_the_data_draw_apart():
    streams = [np.random.default_rng(0), *(own_stream(seed, name) for seed in (0, 1, [0, 1]) for name in ("a", "b"))]
    assert len(np.unique([stream.normal(size=1000) for stream in streams])) == 7000


def test_a_generator_stays_where_it_is_and_gives_a_new_stream_at_every_call():
    caller, untouched = np.random.default_rng(3), np.random.default_rng(3)
    first, second = own_stream(caller, "a"), own_stream(caller, "a")
    assert first.random() != second.random()
    assert caller.random() == untouched.random()


def test_without_a_seed_no_two_calls_agree():
    assert own_stream(None, "a").random() != own_stream(None, "a").random()
