// The test device as torch knows it: its guard, hooks, allocator and operators.
#include "kernels.h"

#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>

namespace deferred {

// An event of torch, which may be recorded again and again.
struct Event {
  std::mutex mutex;
  std::shared_ptr<Mark> mark;
  bool timed = false;

  std::shared_ptr<Mark> last() {
    std::lock_guard lock(mutex);
    return mark;
  }
};

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return TYPE; }

  c10::Device exchangeDevice(c10::Device device) const override {
    c10::Device before = getDevice();
    setDevice(device);
    return before;
  }

  c10::Device getDevice() const override {
    return {TYPE, static_cast<c10::DeviceIndex>(current_device)};
  }

  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() < DEVICES, "there are ", DEVICES, " test devices");
    uncheckedSetDevice(device);
  }

  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.index() >= 0) current_device = device.index();
  }

  c10::Stream getStream(c10::Device device) const override {
    int index = index_of(device);
    return stream(index, current_stream[index]);
  }

  c10::Stream getDefaultStream(c10::Device device) const override {
    return stream(index_of(device), 0);
  }

  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }

  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::array<std::atomic<int>, DEVICES> made{};
    int index = index_of(device);
    return stream(index, 1 + made[index]++ % (STREAMS - 1));
  }

  c10::Stream exchangeStream(c10::Stream next) const override {
    c10::Stream before = getStream(next.device());
    current_stream[next.device_index()] = next.id();
    return before;
  }

  void* getStreamNativeHandle(const c10::Stream given) const override { return &of(given); }

  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }

  void record(void** event, const c10::Stream& given, const c10::DeviceIndex,
              const c10::EventFlag flag) const override {
    if (*event == nullptr) *event = new Event;
    auto* made = static_cast<Event*>(*event);
    std::shared_ptr<Mark> mark = of(given).mark();
    std::lock_guard lock(made->mutex);
    made->mark = mark;
    made->timed = flag == c10::EventFlag::BACKEND_DEFAULT;
  }

  void block(void* event, const c10::Stream& given) const override {
    if (event == nullptr) return;
    if (auto mark = static_cast<Event*>(event)->last()) of(given).wait_for(mark);
  }

  bool queryEvent(void* event) const override {
    if (event == nullptr) return true;
    auto mark = static_cast<Event*>(event)->last();
    return !mark || host_query(mark);
  }

  c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }

  bool queryStream(const c10::Stream& given) const override { return host_query(of(given).mark()); }

  void synchronizeStream(const c10::Stream& given) const override { host_wait(of(given).mark()); }

  void synchronizeEvent(void* event) const override {
    if (event == nullptr) return;
    if (auto mark = static_cast<Event*>(event)->last()) host_wait(mark);
  }

  void synchronizeDevice(const c10::DeviceIndex device) const override {
    synchronize_device(device < 0 ? current_device : device);
  }

  void recordDataPtrOnStream(const c10::DataPtr& pointer, const c10::Stream& given) const override {
    allocator().recordStream(pointer, given);
  }

  double elapsedTime(void* first, void* second, const c10::DeviceIndex) const override {
    auto* from = static_cast<Event*>(first);
    auto* to = static_cast<Event*>(second);
    TORCH_CHECK(from && to && from->timed && to->timed, "both events must be timed and recorded");
    TORCH_CHECK(from->last()->device == to->last()->device, "events of two devices have no common zero");
    int64_t ns = to->last()->time() - from->last()->time();
    return static_cast<float>(static_cast<double>(ns) / 1e6);  // as for CUDA, a float32 in ms
  }

 private:
  static int index_of(c10::Device device) {
    return device.index() < 0 ? current_device : device.index();
  }

  static c10::Stream stream(int device, int64_t id) {
    return c10::Stream(c10::Stream::UNSAFE, {TYPE, static_cast<c10::DeviceIndex>(device)}, id);
  }

  static Stream& of(const c10::Stream& given) {
    return stream_at(given.device_index(), given.id());
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return DEVICES; }
  c10::DeviceIndex getCurrentDevice() const override {
    return static_cast<c10::DeviceIndex>(current_device);
  }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    Guard().setDevice({TYPE, device});
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    return Guard().exchangeDevice({TYPE, device}).index();
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return exchangeDevice(device);
  }
  bool isPinnedPtr(const void* pointer) const override { return pinned().holds(pointer); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned(); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    TORCH_CHECK(storage.nbytes() == 0 || bytes == 0,
                "the test device only empties tensors and enlarges empty ones");
    c10::DeviceGuard guard(storage.device());
    storage.set_data_ptr_noswap(allocator().allocate(bytes));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(sizes, &allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool>) {
  c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(sizes, strides, &allocator(),
                                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           c10::dtype_or_default(dtype));
}

at::Scalar local_scalar(const at::Tensor& tensor) { return tensor.cpu().item(); }

void record_stream(at::Tensor& tensor, c10::Stream stream) {
  allocator().recordStream(tensor.storage().data_ptr(), stream);
}

// Returns the accesses that were not ordered since the last call.
std::vector<std::string> races() {
  std::lock_guard lock(shared().queueing);
  std::vector<std::string> found;
  found.swap(shared().races);
  return found;
}

TORCH_LIBRARY(deferred, m) { m.def("races() -> str[]", &races); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_operator>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("unfold", &at::native::unfold);
  m.impl("resize_", &at::native::resize_);
  m.impl("_copy_from", &copy_from);
  m.impl("_local_scalar_dense", &local_scalar);
  m.impl("record_stream", &record_stream);
}

struct Registered {
  Registered() {
    c10::SetAllocator(TYPE, &allocator());
    at::RegisterPrivateUse1HooksInterface(new Hooks);
  }
} registered;

}  // namespace deferred
