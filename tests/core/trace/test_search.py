"""Searches find what a look at every span finds, and say in one line what they cannot read."""

from fnmatch import fnmatch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.task import KINDS, Kind
from core.recording.decode import append_batch
from core.trace.query import KEYS, NumberRange, Query, SearchError, parse_query
from core.trace.search import Search, SpanPosition, hits_before, next_hit, position_of
from core.trace.trace import Trace
from tests.core.trace.invented import named, overlapped, pipeline, random
from tests.make_believe import batches, specification


def found(trace, text):
    search = Search(trace, parse_query(text))
    assert search.advance(1 << 30)
    return {(lane, index) for lane, hits in search.hits.items() for index in hits.tolist()}


def looked_up(trace, is_so):
    return {(span.lane, span.index) for span in trace if is_so(span)}


TERMS = {
    "kind:forward": lambda s: s.kind is Kind.FORWARD,
    "kind:BACK*": lambda s: s.kind.startswith("back"),
    "kind:communication": lambda s: s.kind.is_communication,
    "kind:compute": lambda s: not s.kind.is_communication,
    "kind:copy|step": lambda s: s.kind in (Kind.COPY, Kind.STEP),
    "mb:3": lambda s: s.microbatch == 3,
    "mb:1-2": lambda s: s.microbatch in (1, 2),
    "mb:2-": lambda s: s.microbatch is not None and s.microbatch >= 2,
    "stage:-0": lambda s: s.stage == 0,
    "stage:0|1": lambda s: s.stage in (0, 1),
    "step:1": lambda s: s.step == 1,
    "step:0|2": lambda s: s.step in (0, 2),
    "lane:0": lambda s: s.lane == 0,
    "lane:1-": lambda s: s.lane >= 1,
    "replica:0": lambda s: s.replica == 0,
    "block:0-9": lambda s: s.block is not None,
    "bucket:0": lambda s: s.bucket == 0,
    "task:5-9": lambda s: 5 <= s.task <= 9,
    ">3ms": lambda s: s.end - s.start > 3_000_000,
    "<=400us": lambda s: s.end - s.start <= 400_000,
    "F2": lambda s: s.kind is Kind.FORWARD and s.microbatch == 2,
    "1b2": lambda s: s.kind is Kind.BACKWARD and (s.stage, s.microbatch) == (1, 2),
    "F": lambda s: s.kind is Kind.FORWARD,
    "back": lambda s: s.kind.startswith("back"),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(TERMS)), st.booleans()), max_size=4))
def test_what_is_found_is_what_a_look_at_every_span_finds(terms):
    trace = pipeline()
    text = " ".join(f"{'-' * negated}{term}" for term, negated in terms)

    def is_so(span):
        return all(TERMS[term](span) is not negated for term, negated in terms)

    assert found(trace, text) == looked_up(trace, is_so)


def test_every_condition_of_the_examples_holds_of_some_span_and_not_of_all():
    trace = pipeline()
    trivial = {"replica:0", "block:0-9", "bucket:0", "stage:0|1"}
    for term in set(TERMS) - trivial:
        assert 0 < len(found(trace, term)) < trace.span_count, term


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("name:gemm", "*gemm*"), ("name:gemm*", "gemm*"), ("name:gemm_*", "gemm_*"),
        ('"Gemm nt"', "*gemm nt*"), ("aten::relu", "*aten::relu*"), ("name:a?en*", "a?en*"),
        ("relu", "*relu*"), ('name:"gemm nt"|relu', "*[nr][te]*"),
    ],
)  # fmt: skip
def test_names_are_found_by_a_part_of_them_or_whole_if_there_are_stars(text, like):
    trace = named()
    hits = found(trace, text)
    assert hits
    assert hits <= looked_up(trace, lambda s: s.name != "")
    assert hits == looked_up(trace, lambda s: s.name != "" and fnmatch(s.name.lower(), like))


def test_both_halves_of_an_overlap_are_found_by_their_labels():
    trace = overlapped()
    overlaps = [span for span in trace if span.kind is Kind.OVERLAP]
    one = overlaps[0]
    assert (one.lane, one.index) in found(trace, f"F{one.microbatch}")
    assert (one.lane, one.index) in found(trace, f"{one.paired_stage}B{one.paired_microbatch}")
    assert (one.lane, one.index) not in found(trace, f"B{one.paired_microbatch} -kind:overlap")


def test_lanes_are_found_by_their_names():
    trace = pipeline()
    name = trace.header.lanes[1].name
    assert found(trace, f'lane:"{name}"') == looked_up(trace, lambda s: s.lane == 1)
    assert found(trace, f'-lane:"{name[:-1]}*"') == looked_up(
        trace, lambda s: not trace.header.lanes[s.lane].name.startswith(name[:-1])
    )


def test_no_words_ask_for_every_span():
    assert parse_query("   ") == Query()
    assert len(found(pipeline(), "")) == pipeline().span_count


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        (">5ms", 5_000_001, None), (">=5ms", 5_000_000, None), ("<5.5us", None, 5_499),
        ("<=5.5us", None, 5_500), (">0.5ns", 1, None), (">=0.5ns", 1, None),
        ("<1.5s", None, 1_499_999_999),
        ("<=10µs", None, 10_000),
    ],
)  # fmt: skip
def test_durations_are_whole_nanoseconds(text, least, most):
    (term,) = parse_query(text).terms
    assert term.values == (NumberRange(least, most),)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("sta:1", ["sta", *KEYS]), ("kind:forwrd", ["kind:forwrd", *KINDS, "communication"]),
        ("mb:x", ["mb:x", "3, 2-5"]), ("mb:", ["mb:", "3, 2-5"]), ("mb:5-2", ["5-2", "2-5"]),
        ("mb:-", ["mb:-", "2-5"]), (">5", [">5", "<=10us"]), (">=ms", [">5ms"]),
        ("<5min", ["<5min"]),
        ("-", ["-", "nothing"]), ('name:"gemm', ["quote"]), ('""', ["nothing"]),
        ("kind:forward stage:1 step:a", ["step:a"]),
        ("kind:forward | lane:0", ["|", "without spaces", "mb:2|5"]),
        ("kind:forward|lane:0", ["kind lane:0", "mb:2|5"]),
        ("mb:2|mb:3", ["mb:3 is not a number", "mb:2|5"]),
        ("mb:" + "9" * 5000, ["5,003 characters", "at most 2,000"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_in_one_line_that_names_it(text, named):
    with pytest.raises(SearchError) as told:
        parse_query(text)
    message = str(told.value)
    assert "\n" not in message
    for words in named:
        assert words in message


@given(st.text(alphabet='kind:mbF1-2|*?"<>=5ms ', max_size=20))
def test_any_text_is_a_query_or_an_error(text):
    try:
        found(pipeline(), text)
    except SearchError as error:
        assert str(error)


@given(st.integers(1, 40))
def test_slices_of_any_size_find_the_same(most):
    trace, search = pipeline(), Search(pipeline(), parse_query("kind:forward >1ms"))
    for _ in range((len(trace.table) - 1) // most):  # the table's rows come first
        assert not search.advance(most)
        assert search.searched == (0, trace.span_count)
    rounds = 0
    while not search.advance(most):
        rounds += 1
        looked, there = search.searched
        assert looked == rounds * most < there
    assert {(n, i) for n, hits in search.hits.items() for i in hits.tolist()} == found(
        trace, "kind:forward >1ms"
    )


def test_a_search_goes_on_where_the_trace_grows():
    spec = specification("pipeline", microbatches=4, steps=3, warmup=0)
    header, made = batches(spec)
    trace = Trace(header)
    search = Search(trace, parse_query("kind:backward"))
    for batch in made:
        append_batch(trace, batch)
        assert search.advance()
        assert search.count == len(looked_up(trace, lambda s: s.kind is Kind.BACKWARD))
    assert search.count


@given(st.lists(st.integers(0, 12), min_size=1, max_size=4), st.integers(0, 99), st.integers(0, 3))
def test_steps_go_through_the_hits_in_the_order_of_time_and_round_the_end(counts, seed, microbatch):
    trace = random(counts, seed)
    search = Search(trace, parse_query(f"mb:{microbatch}|0"))
    search.advance()
    hits = search.hits
    places = sorted(position_of(trace, n, i) for n, found in hits.items() for i in found.tolist())
    assert [hits_before(trace, hits, place) for place in places] == list(range(len(places)))
    before_all, at = SpanPosition(-1, -1, -1), SpanPosition(-1, -1, -1)
    for place in places:
        at = next_hit(trace, hits, at)
        assert at == place
    if not places:
        assert {next_hit(trace, hits, before_all, by) for by in (1, -1)} == {None}
        return
    assert next_hit(trace, hits, places[-1]) == places[0]
    assert next_hit(trace, hits, places[0], -1) == places[-1]
    for place in reversed(places[:-1]):
        at = next_hit(trace, hits, at, -1)
        assert at == place
    moment = places[len(places) // 2].start
    later = next_hit(trace, hits, SpanPosition(moment, -1, -1))
    assert later == min(place for place in places if place.start >= moment)
    assert hits_before(trace, hits, SpanPosition(moment, -1, -1)) == np.searchsorted(
        [place.start for place in places], moment
    )
