"""What communicates in traces of PyTorch's profiler, by its names, and which rank came last."""

import json

import pytest

from core.explain.arrivals import arrivals
from core.explain.run_step import explain_run_step
from core.plan.plan import Role, rank_names
from core.plan.task import Kind
from core.recording.importers.event_names import kind_from_name
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.report.verdict import verdict
from tests.core.recording.importers.kineto_files import kineto_file

EXCHANGE = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
GENERIC = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("void deep_ep::internode::dispatch<false, 4, true>(int4*, float*)", Kind.ALL_TO_ALL),
        ("void deep_ep::intranode::combine<__nv_bfloat16, 8>(int4*)", Kind.ALL_TO_ALL),
        ("void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)", Kind.ALL_TO_ALL),
        ("void dpsk::ep::internode::combine<false, 8>(int4*, float*)", Kind.ALL_TO_ALL),
        ("void intranode::cached_notify_dispatch<8>(int const*, int)", Kind.ALL_TO_ALL),
        ("hcom_allReduce__586_0_1", Kind.ALL_REDUCE),
        ("hcom_alltoallv__586_1_1", Kind.ALL_TO_ALL),
        ("hcom_send__586_2_1", Kind.COPY),
        ("nccl:broadcast", Kind.BROADCAST),
        ("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Kind.BROADCAST),
        ("hcom_broadcast__483_0_1", Kind.BROADCAST),
        ("gloo:barrier", Kind.BARRIER),
        ("nvshmemi_alltoall_kernel", Kind.ALL_TO_ALL),
        ("void nvshmemi_proxy_put<int>(int*)", Kind.COPY),
        ("void vllm::cross_device_reduce_1stage<c10::BFloat16, 2>(int)", Kind.ALL_REDUCE),
        ("nccl:all_to_all", Kind.ALL_TO_ALL),
        # Names that do not say which collective they are.
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", Kind.COLLECTIVE),
        ("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", Kind.COLLECTIVE),
        ("mscclKernel_Sum_half_Simple_false(ncclDevComm*)", Kind.COLLECTIVE),
        ("void mscclpp::allreduce7<__half>(int)", Kind.ALL_REDUCE),
        # They compute: routing tables, products of experts' matrices, and whatever has a
        # communication kernel's name among its template arguments alone.
        ("void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)", Kind.OTHER),
        ("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)", Kind.OTHER),
        ("void dpsk::grouped_gemm::cuda::utils::transpose<512, 128>(char const*)", Kind.OTHER),
        ("void cutlass::device_kernel<dpsk::ep::internode::Fused>(int)", Kind.OTHER),
    ],
)
def test_names_tell_what_communicates(name, kind):
    assert kind_from_name(name) is kind


class File:
    """Events of a rank: kernels on streams, each with the host's call that launched it."""

    def __init__(self, rank):
        self.rank, self.events = rank, []
        self.event("user_annotation", "ProfilerStep#1", 0, 1000)

    def event(self, cat, name, ts, dur, pid=9, tid=9, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts,
                            "dur": dur, "args": args})  # fmt: skip

    def kernel(self, name, ts, dur, stream=7, call=None, **args):
        number = len(self.events)
        self.event("cuda_runtime", "cudaLaunchKernel", ts - 5 if call is None else call, 1,
                   correlation=number)  # fmt: skip
        self.event("kernel", name, ts, dur, 0, stream, correlation=number, **args)


@pytest.fixture
def opened(tmp_path):
    def write(*files):
        for file in files:
            told = kineto_file(file.rank, file.events, len(files))
            (tmp_path / f"trace-{file.rank}.json").write_text(json.dumps(told))
        return open_recording(tmp_path if len(files) > 1 else tmp_path / "trace-0.json").trace

    return write


def kinds(trace):
    return [span.kind for span in trace if span.name.startswith("nccl") and "Dev" in span.name]


def exchanging(rank, late=0.0):
    file = File(rank)
    file.kernel("gemm", 10, 80)
    file.event("user_annotation", "nccl:all_to_all", 88 + late, 8)
    file.kernel(EXCHANGE, 100 + late, 200 - late, 20, call=90 + late)
    file.kernel("gemm", 310, 100)
    return file


def test_an_all_to_all_is_a_collective_of_ranks_and_its_last_one_is_named(opened):
    trace = opened(exchanging(0), exchanging(1, 60.0))
    [met] = arrivals(explain_run_step(trace, 0))
    assert (met.kind, met.times, met.wait_ns, met.transfer_ns) == (
        Kind.ALL_TO_ALL, 1, 60_000, 140_000,
    )  # fmt: skip
    assert [rank_names(trace.header.lanes)[lane] for lane, _ in met.last] == ["rank 1"]
    [told] = summarise(trace).collectives_over_steps
    assert (told.kind, told.last) == ("all-to-all", {"rank 1": 1})


def test_a_broadcast_waits_for_the_last_rank_and_is_called_that(opened):
    files = [File(0), File(1)]
    for late, file in zip((0.0, 60.0), files, strict=True):
        file.kernel("gemm", 10, 80)
        file.kernel("ncclDevKernel_Broadcast_RING_LL", 100 + late, 200 - late, 20, call=90)
    trace = opened(*files)
    [met] = arrivals(explain_run_step(trace, 0))
    assert (met.kind, met.wait_ns, met.transfer_ns) == (Kind.BROADCAST, 60_000, 140_000)
    [told] = summarise(trace).collectives_over_steps
    assert told.kind == "broadcast"


def test_kernels_that_send_within_a_call_to_send_are_copies(opened):
    file = File(0)
    file.event("user_annotation", "nccl:all_to_all", 88, 8)
    file.kernel(EXCHANGE, 100, 50, 20, call=90)
    file.event("user_annotation", "nccl:send 0->1", 188, 8)
    file.kernel(EXCHANGE, 200, 50, 20, call=190)
    file.kernel("gemm", 10, 80)
    assert kinds(opened(file)) == [Kind.ALL_TO_ALL, Kind.COPY]


def test_the_collective_that_a_kernels_arguments_name_counts_before_all_else(opened):
    file = File(0)
    file.event("user_annotation", "nccl:all_to_all", 0, 900)
    told = ("send", "all_to_allv", "_allgather_base", "allreduce_coalesced", "unheard of")
    for place, name in enumerate(told):
        file.kernel(EXCHANGE, 100 + 50 * place, 40, 20, **{"Collective name": name})
    file.kernel("gemm", 10, 80)
    assert kinds(opened(file)) == [
        Kind.COPY, Kind.ALL_TO_ALL, Kind.ALL_GATHER, Kind.ALL_REDUCE, Kind.ALL_TO_ALL,
    ]  # fmt: skip


def test_the_argument_decides_for_any_kernel_that_has_it(opened):
    file = File(0)
    file.kernel("gemm", 10, 80)
    for place, name in enumerate(("void my_allreduce<8>(int)", GENERIC, "mscclKernel_Sum_float")):
        file.kernel(name, 100 + 50 * place, 40, 20, **{"Collective name": "reduce_scatter_tensor"})
    file.kernel("mine", 300, 40, 20, **{"Collective name": "unheard of"})
    trace = opened(file)
    found = [span.kind for span in trace if trace.header.lanes[span.lane].name == "stream 20"]
    assert found == [Kind.REDUCE_SCATTER] * 3 + [Kind.OTHER]


def test_the_call_around_a_kernel_without_a_telling_name_says_what_it_is(opened):
    file = File(0)
    file.kernel("gemm", 10, 80)
    file.event("user_annotation", "nccl:all_reduce", 90, 9)
    file.kernel(GENERIC, 100, 50, 20)
    file.event("cpu_op", "record_param_comms", 190, 9, **{"Collective name": "allgather"})
    file.kernel(GENERIC, 200, 50, 20)
    file.event("user_annotation", "nccl:send 0->1", 290, 9)
    file.kernel(GENERIC, 300, 50, 20)
    file.kernel(GENERIC, 400, 50, 20)
    assert kinds(opened(file)) == [
        Kind.ALL_REDUCE, Kind.ALL_GATHER, Kind.COPY, Kind.COLLECTIVE,
    ]  # fmt: skip


def test_two_ranks_that_run_unknown_collectives_are_replicas_and_meet(opened):
    files = [File(0), File(1)]
    for late, file in zip((0.0, 60.0), files, strict=True):
        file.kernel("gemm", 10, 80)
        file.kernel(GENERIC, 100 + late, 200 - late, 20, call=90)
    trace = opened(*files)
    assert {span.replica for span in trace} == {0, 1}
    [met] = arrivals(explain_run_step(trace, 0))
    assert (met.kind, met.wait_ns, met.transfer_ns) == (Kind.COLLECTIVE, 60_000, 140_000)


@pytest.mark.parametrize(
    ("said", "kind"), [("c10d::send", Kind.COPY), ("aten::mm", Kind.ALL_TO_ALL)]
)
def test_without_a_call_around_it_the_file_tells_what_a_kernel_is(opened, said, kind):
    file = File(0)
    file.event("cpu_op", said, 700, 5)
    file.kernel(EXCHANGE, 100, 50, 20)
    file.kernel("gemm", 10, 80)
    assert kinds(opened(file)) == [kind]


def test_process_groups_of_one_place_in_two_files_are_not_taken_for_one(opened):
    files = [File(rank) for rank in range(4)]
    for file in files:
        file.kernel("gemm", 10, 80)
        # Ranks 0 and 1 are one group, 2 and 3 another; each file has one name besides "0".
        group = {"Process Group Name": str(1 + file.rank // 2)}
        file.kernel("ncclDevKernel_AllReduce_Sum", 100 + 10 * file.rank, 50, 20, **group)
    trace = opened(*files)
    met = arrivals(explain_run_step(trace, 0))
    names = rank_names(trace.header.lanes)
    assert [[names[lane] for lane, _ in one.last] for one in met] == [["rank 1"], ["rank 3"]]


def unsynchronised(rank, host_us=0.0, times=(98.0, 198.0, 298.0), **args):
    """A rank whose steps begin every 100 ms on its own host, with all-reduces at `times` (ms)."""
    file = File(rank)
    file.events.clear()
    for number in (1, 2, 3):
        start = 1000 * (100.0 * number - 100.0) - host_us
        file.event("user_annotation", f"ProfilerStep#{number}", start, 100_000)
    for ms in times:
        ts = 1000 * ms
        file.kernel("gemm", ts - 7_000, 5_000)
        file.kernel("ncclDevKernel_AllReduce_Sum", ts, 5_000, 20, **args)
    return file


GROUP = {"Process Group Name": "0"}


@pytest.mark.parametrize("group", [{}, GROUP])
def test_a_collective_is_in_one_step_of_all_ranks_wherever_their_hosts_begin_it(opened, group):
    # The kernels of both ranks run together; only the host of rank 1 is 3 ms ahead.
    trace = opened(unsynchronised(0, **group), unsynchronised(1, host_us=3_000, **group))
    found = [one for step in trace.steps for one in arrivals(explain_run_step(trace, step))]
    assert [(one.times, one.members, one.wait_ns, one.transfer_ns) for one in found] == [
        (1, 2, 0, 5_000_000),
        (1, 2, 0, 5_000_000),
    ]
    assert "When ranks wait" not in str(verdict(trace).text)


@pytest.mark.parametrize("group", [{}, GROUP])
def test_the_first_collectives_of_two_files_need_not_be_the_same_one(opened, group):
    # Rank 1's profiler began one collective later, and rank 0's ended one earlier.
    files = [
        unsynchronised(0, times=(8, 38, 68), **group),
        unsynchronised(1, times=(38.5, 68.5, 92), **group),
    ]
    trace = opened(*files)
    [found] = arrivals(explain_run_step(trace, trace.steps[0]))
    assert (found.times, found.members, found.wait_ns) == (2, 2, 1_000_000)


def test_a_collective_that_one_file_lacks_is_not_matched_with_the_next_one(opened):
    whole = unsynchronised(0, times=(8, 38, 68), **GROUP)
    trace = opened(whole, unsynchronised(1, times=(8, 68), **GROUP))
    [found] = arrivals(explain_run_step(trace, trace.steps[0]))
    assert (found.members, found.wait_ns, found.transfer_ns) == (2, 0, 5_000_000 * found.times)


def test_two_streams_of_one_device_are_one_rank(opened):
    file = File(0)
    file.kernel("gemm", 10, 80)
    # Streams that also compute are compute lanes, and would else be ranks that meet each other.
    for stream in (20, 24):
        file.kernel("ncclDevKernel_AllReduce_Sum", 100, 50, stream)
        file.kernel("add", 200, 60, stream)
    trace = opened(file)
    streams = [lane for lane in trace.header.lanes if lane.name.startswith("stream")]
    assert [lane.role for lane in streams] == [Role.COMPUTE] * 3
    assert arrivals(explain_run_step(trace, 0)) == ()


def test_requests_of_an_accelerators_copier_copy_memory(opened):
    file = File(0)
    for place in range(3):
        file.event("mtia_ccp_events", "dma_request", 100 * place, 30, 0, 5)
        file.event("mtia_ccp_events", "matmul", 100 * place, 90, 0, 6)
    trace = opened(file)
    roles = {lane.name: lane.role for lane in trace.header.lanes}
    assert (roles["stream 5"], roles["stream 6"]) == (Role.COPY, Role.COMPUTE)
