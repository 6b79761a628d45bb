"""Short names of functions on a bar."""

from __future__ import annotations

import pytest

from core.trace.short_labels import short_label


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void gemm", "gemm"),
        ("void at::native::copy_kernel<float, 4>(int, float*)", "copy_kernel"),
        (
            "void at::native::loop<4, at::native::add(at::Iter&)::{lambda()#3}::operator()() const"
            "::{lambda(float)#1}, std::array<char*, 1ul> >(int, std::array<char*, 1ul>)",
            "loop",
        ),
        ("void (anonymous namespace)::clamp<long>(long*, long const*)", "clamp"),
        ("at::native::(anonymous namespace)::CatArray<float>(float*) const", "CatArray"),
        ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)", "kernel"),
        ("void cutlass::Kernel2<cutlass_80_tensorop>(cutlass_80_tensorop::Params)", "Kernel2"),
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic"),
        ("find_segments(long*, int)", "find_segments"),
        ("aten::addmm", "addmm"),
        ("autograd::engine::evaluate_function: torch::AddmmBackward0",
         "evaluate_function: AddmmBackward0"),
    ],
)  # fmt: skip
def test_return_types_namespaces_template_arguments_and_parameters_are_left_out(
    name: str, short: str
) -> None:
    assert short_label(name) == short


@pytest.mark.parametrize(
    "name",
    [
        "load",
        "ampere_sgemm_128x64_tn",
        "Memcpy HtoD (Pageable -> Device)",
        "torch/nn/modules/module.py(1518): _call_impl",
        "torch/_ops.py(1037): <lambda>",
        "<built-in method relu of type object at 0x7f>",
        "<forward>",
        "nccl:all_reduce",
        "forward(3)",
        "load(train)",
        "wait()",
        "ProfilerStep#3",
        "a < b and b > c",
        "step<1",
        "::",
        "(x)",
        "",
        " ",
        "自定义::操作",
    ],
)
def test_a_name_that_is_no_function_of_cpp_stays_as_it_is(name: str) -> None:
    assert short_label(name) == name
