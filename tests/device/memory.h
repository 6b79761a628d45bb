// The allocator of the test device. As torch's caching allocators do, it uses a freed block again at
// once, but only on the stream for which it was allocated. It fills the block with poison before
// that, in the order of the stream: what still reads the block without a wait gets NaN.
#pragma once

#include "streams.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <cstring>
#include <map>
#include <set>

namespace deferred {

struct Block {
  char* data;
  size_t bytes;
  Stream* stream;
  std::set<Stream*> used_on;  // by Tensor.record_stream
  History history;
};

struct Use {
  Block* block;
  const char* first;
  const char* end;
  bool writes;
};

inline void check_order(const std::vector<Use>& uses, const Stream& stream, const Clock& clock,
                        const std::string& name) {
  for (const Use& use : uses) {
    Access access{use.first, use.end, use.writes, stream.number(), stream.clock[stream.number()], name};
    std::string other = use.block->history.add(access, clock, shared().host);
    if (!other.empty()) {
      shared().races.push_back(name + " is not ordered with " + other);
    }
  }
}

// Queues a kernel, and checks that its accesses are ordered with earlier ones.
inline void launch(Stream& stream, const std::string& name, const std::vector<Use>& uses,
                   std::function<void()> work) {
  std::lock_guard lock(shared().queueing);
  stream.queue(std::move(work), true);
  check_order(uses, stream, stream.clock, name);
}

// All bits are set: NaN as a floating-point number, and -1 as an index.
inline void poison(char* data, size_t bytes) { std::memset(data, 0xFF, bytes); }

class Allocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    int device = current_device;
    c10::Device place(TYPE, static_cast<c10::DeviceIndex>(device));
    if (bytes == 0) return {nullptr, nullptr, &Allocator::release, place};
    Block* block = take(current(device), (bytes + 511) / 512 * 512);
    return {block->data, block, &Allocator::release, place};
  }

  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  void copy_data(void*, const void*, std::size_t) const override {
    TORCH_CHECK(false, "memory of the test device cannot be copied outside of its streams");
  }

  bool initialized() override { return true; }

  void emptyCache(c10::MempoolId_t) override {}

  void recordStream(const c10::DataPtr& pointer, c10::Stream stream) override {
    auto* block = static_cast<Block*>(pointer.get_context());
    if (block == nullptr) return;
    std::lock_guard lock(shared().queueing);
    block->used_on.insert(&stream_at(stream.device_index(), stream.id()));
  }

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    std::lock_guard lock(shared().queueing);
    return stats_[device];
  }

  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}

 private:
  static void release(void* context);

  Block* take(Stream& stream, size_t bytes) {
    std::lock_guard lock(shared().queueing);
    count(stream.device, static_cast<int64_t>(bytes));
    auto& free = free_[{&stream, bytes}];
    if (!free.empty()) {
      Block* block = free.back();
      free.pop_back();
      return block;
    }
    auto* data = static_cast<char*>(std::aligned_alloc(512, bytes));
    TORCH_CHECK(data != nullptr, "out of memory");
    poison(data, bytes);
    return new Block{data, bytes, &stream, {}, {}};
  }

  void give_back(Block* block) {
    std::lock_guard lock(shared().queueing);
    count(block->stream->device, -static_cast<int64_t>(block->bytes));
    for (Stream* other : block->used_on) block->stream->wait_for(other->mark());
    block->used_on.clear();
    char* data = block->data;
    size_t bytes = block->bytes;
    block->stream->queue([data, bytes] { poison(data, bytes); }, false);
    // Python may free a tensor in any thread, so it counts what any thread has waited for.
    Clock clock = block->stream->clock;
    merge(clock, shared().waited);
    check_order({{block, data, data + bytes, true}}, *block->stream, clock, "freeing");
    free_[{block->stream, bytes}].push_back(block);
  }

  void count(int device, int64_t bytes) {
    auto& allocated = stats_[device].allocated_bytes[0];
    if (bytes > 0) allocated.increase(bytes);
    else allocated.decrease(-bytes);
  }

  std::map<std::pair<Stream*, size_t>, std::vector<Block*>> free_;
  std::array<c10::CachingDeviceAllocator::DeviceStats, DEVICES> stats_{};
};

inline Allocator& allocator() {
  static Allocator* made = new Allocator;
  return *made;
}

inline void Allocator::release(void* context) {
  if (context != nullptr) allocator().give_back(static_cast<Block*>(context));
}

}  // namespace deferred
