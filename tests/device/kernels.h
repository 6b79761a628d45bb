// Runs any operator of torch on the test device: the CPU's kernel runs later, on the stream's thread.
//
// When an operator is called, torch's meta kernel gives the shapes of its results, so that they can
// be allocated at once. The queued kernel has addresses and shapes only and keeps no tensor alive,
// as on a real device.
#pragma once

#include "pinned.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>

#include <optional>

namespace deferred {

inline bool is_ours(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == TYPE;
}

// A tensor's memory and shape, without the tensor.
struct Layout {
  void* data;
  std::vector<int64_t> sizes, strides;
  at::ScalarType dtype;

  explicit Layout(const at::Tensor& tensor)
      : data(tensor.numel() ? tensor.data_ptr() : nullptr),
        sizes(tensor.sizes().vec()),
        strides(tensor.strides().vec()),
        dtype(tensor.scalar_type()) {
    TORCH_CHECK(!tensor.is_conj() && !tensor.is_neg(), "the test device has no lazy conjugates");
  }

  at::Tensor on_cpu() const {
    return at::from_blob(data, sizes, strides, at::TensorOptions().dtype(dtype));
  }
};

inline std::optional<Use> use_of(const at::Tensor& tensor, bool writes) {
  auto* block = static_cast<Block*>(tensor.storage().data_ptr().get_context());
  if (block == nullptr || tensor.numel() == 0) return std::nullopt;
  int64_t last = 0;  // the index of the last element
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    last += (tensor.size(dim) - 1) * tensor.stride(dim);
  }
  const char* first = static_cast<const char*>(tensor.data_ptr());
  return Use{block, first, first + (last + 1) * tensor.element_size(), writes};
}

// Returns a value with each tensor replaced by `replace(tensor)`; lists are copied.
template <typename Replace>
c10::IValue replaced(const c10::IValue& value, Replace replace) {
  if (value.isTensor()) return value.toTensor().defined() ? replace(value.toTensor()) : value;
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(replace(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const auto& item : value.toOptionalTensorVector()) {
      bool given = item.has_value() && item->defined();
      list.push_back(given ? std::optional<at::Tensor>(replace(*item)) : std::nullopt);
    }
    return list;
  }
  return value;
}

inline at::Tensor meta_of(const at::Tensor& tensor) {
  if (!is_ours(tensor)) return tensor;
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

// The arguments of a queued kernel: layouts in place of tensors of the device.
class Arguments {
 public:
  Arguments(const c10::OperatorHandle& op, const std::vector<c10::IValue>& values) {
    for (size_t i = 0; i < values.size(); ++i) add(op.schema().arguments()[i], values[i]);
  }

  std::vector<c10::IValue> on_cpu() const {
    std::vector<c10::IValue> values;
    size_t next = 0;
    for (const c10::IValue& value : values_) {
      values.push_back(replaced(value, [&](const at::Tensor&) { return tensors_[next++]; }));
    }
    return values;
  }

  std::vector<Use> uses;
  std::optional<c10::Device> device;  // of the tensors, all of which must be there

 private:
  void add(const c10::Argument& argument, const c10::IValue& value) {
    bool writes = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    if (value.isDevice() && value.toDevice().type() == TYPE) {
      if (!device) device = value.toDevice();
      values_.push_back(c10::Device(at::kCPU));
      return;
    }
    values_.push_back(replaced(value, [&](const at::Tensor& tensor) {
      at::Tensor held = is_ours(tensor) ? hold(tensor, writes) : tensor.clone();
      // The CPU's kernel may use an argument `out` for temporary results of another shape.
      if (argument.is_out()) held = at::empty({0}, held.options());
      tensors_.push_back(held);
      return held;
    }));
  }

  at::Tensor hold(const at::Tensor& tensor, bool writes) {
    TORCH_CHECK(!device || *device == tensor.device(), "tensors are on several devices");
    device = tensor.device();
    if (auto use = use_of(tensor, writes)) uses.push_back(*use);
    return Layout(tensor).on_cpu();
  }

  std::vector<c10::IValue> values_;
  std::vector<at::Tensor> tensors_;
};

// Calls an operator on the CPU and returns its results.
inline std::vector<c10::IValue> call(const c10::OperatorHandle& op, std::vector<c10::IValue> stack) {
  op.callBoxed(&stack);
  return stack;
}

inline std::vector<c10::IValue> meta_values(const std::vector<c10::IValue>& values) {
  std::vector<c10::IValue> made;
  for (const c10::IValue& value : values) {
    bool place = value.isDevice() && value.toDevice().type() == TYPE;
    made.push_back(place ? c10::IValue(c10::Device(at::kMeta)) : replaced(value, meta_of));
  }
  return made;
}

// The argument that a result is, as for operators that write into an argument; -1 if it is new.
inline int argument_of(const c10::OperatorHandle& op, size_t result) {
  const auto* alias = op.schema().returns()[result].alias_info();
  if (alias == nullptr) return -1;
  TORCH_CHECK(alias->isWrite(), op.schema().name(), " returns a view: the test device lacks it");
  for (size_t i = 0; i < op.schema().arguments().size(); ++i) {
    const auto* other = op.schema().arguments()[i].alias_info();
    if (other != nullptr && other->beforeSets() == alias->beforeSets()) return static_cast<int>(i);
  }
  return -1;
}

// Operators whose shapes depend on values run at once: the host waits for the stream.
inline void run_at_once(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack) {
  std::vector<c10::IValue> values(stack->end() - op.schema().arguments().size(), stack->end());
  Arguments arguments(op, values);
  c10::Device device = arguments.device.value_or(c10::Device(TYPE, current_device));
  Stream& stream = current(device.index());
  auto results = std::make_shared<std::vector<c10::IValue>>();
  launch(stream, op.schema().name(), arguments.uses,
         [op, arguments, results] { *results = call(op, arguments.on_cpu()); });
  host_wait(stream.mark());
  stack->erase(stack->end() - values.size(), stack->end());
  for (size_t i = 0; i < results->size(); ++i) {
    int argument = argument_of(op, i);
    if (argument >= 0) {
      stack->push_back(values[argument]);
    } else {
      stack->push_back(
          replaced((*results)[i], [&](const at::Tensor& tensor) { return tensor.to(device); }));
    }
  }
}

// Every operator that has no function of its own on the device.
inline void run_operator(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack) {
  const auto& schema = op.schema();
  std::vector<c10::IValue> values(stack->end() - schema.arguments().size(), stack->end());
  std::vector<c10::IValue> shapes;
  try {
    shapes = call(op, meta_values(values));
  } catch (const c10::NotImplementedError&) {
    return run_at_once(op, stack);
  }
  for (const c10::IValue& shape : shapes) {
    if (!shape.isTensor() && !shape.isTensorList()) return run_at_once(op, stack);
  }

  std::optional<c10::Device> device = Arguments(op, values).device;
  if (!device) device = c10::Device(TYPE, static_cast<c10::DeviceIndex>(current_device));
  c10::DeviceGuard guard(*device);
  std::vector<c10::IValue> results;
  std::vector<Layout> made;  // where the kernel's results are copied to
  std::vector<Use> written;
  auto allocate = [&](const at::Tensor& shape) {
    at::Tensor tensor =
        at::empty_strided(shape.sizes(), shape.strides(), shape.options().device(*device));
    made.emplace_back(tensor);
    if (auto use = use_of(tensor, true)) written.push_back(*use);
    return tensor;
  };
  std::vector<bool> is_copied;
  for (size_t i = 0; i < shapes.size(); ++i) {
    int argument = argument_of(op, i);
    bool is_out = argument >= 0 && schema.arguments()[argument].is_out();
    is_copied.push_back(argument < 0 || is_out);
    if (argument < 0) {
      results.push_back(replaced(shapes[i], allocate));
      continue;
    }
    results.push_back(values[argument]);
    if (is_out) {
      at::Tensor target = values[argument].toTensor();
      auto sizes = shapes[i].toTensor().sizes();
      if (target.sizes() != sizes) target.resize_(sizes);
      made.emplace_back(target);
    }
  }
  Arguments arguments(op, values);
  arguments.uses.insert(arguments.uses.end(), written.begin(), written.end());
  launch(current(device->index()), schema.name(), arguments.uses, [op, arguments, made, is_copied] {
    std::vector<c10::IValue> computed = call(op, arguments.on_cpu());
    size_t next = 0;
    for (size_t i = 0; i < computed.size(); ++i) {
      if (!is_copied[i]) continue;
      replaced(computed[i], [&](const at::Tensor& tensor) {
        made[next++].on_cpu().copy_(tensor);
        return tensor;
      });
    }
  });
  stack->erase(stack->end() - values.size(), stack->end());
  stack->insert(stack->end(), results.begin(), results.end());
}

// A tensor of the same memory that does not keep it from being freed.
inline at::Tensor without_owner(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options());
}

// A copy to, from, within or between devices. Between devices it runs on the source's current
// stream, and both streams wait for each other, as torch does for CUDA. With pinned memory and
// `non_blocking` the host does not wait: the copy reads or writes that memory later.
inline at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  at::Tensor from = source.expand_as(target);
  const at::Tensor& host = is_ours(source) ? target : source;
  bool is_later = non_blocking && !is_ours(host) && pinned().holds(host.data_ptr());
  if (!is_ours(source)) {
    Stream& stream = current(target.device().index());
    // The host may change pageable memory at once.
    at::Tensor kept = is_later ? without_owner(from) : from.clone();
    Layout to(target);
    std::vector<Use> uses;
    if (auto use = use_of(target, true)) uses.push_back(*use);
    launch(stream, "copy to the device", uses, [kept, to] { to.on_cpu().copy_(kept); });
    if (is_later) pinned().use_until(host.data_ptr(), stream.mark());
    return target;
  }
  Stream& stream = current(source.device().index());
  Layout layout(from), to(target);
  std::vector<Use> uses;
  if (auto use = use_of(from, false)) uses.push_back(*use);
  if (!is_ours(target)) {
    launch(stream, "copy to the host", uses, [layout, to] { to.on_cpu().copy_(layout.on_cpu()); });
    auto mark = stream.mark();
    if (is_later) pinned().use_until(host.data_ptr(), mark);
    else host_wait(mark);
    return target;
  }
  if (auto use = use_of(target, true)) uses.push_back(*use);
  Stream& other = current(target.device().index());
  bool between_devices = other.device != stream.device;
  if (between_devices) stream.wait_for(other.mark());
  launch(stream, "copy", uses, [layout, to] { to.on_cpu().copy_(layout.on_cpu()); });
  if (between_devices) other.wait_for(stream.mark());
  return target;
}

}  // namespace deferred
