// Pinned memory of the host: a copy that does not block uses it later, when its stream gets there.
//
// As with torch's allocators, a freed block is used again once all copies are over that were queued
// for it. It is filled with poison before that: a copy that still reads it gets NaN.
#pragma once

#include "memory.h"

namespace deferred {

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::Device host(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &PinnedAllocator::release, host};
    std::lock_guard lock(mutex_);
    PinnedBlock* block = take((bytes + 511) / 512 * 512);
    in_use_[block->data] = block;
    return {block->data, block, &PinnedAllocator::release, host};
  }

  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  bool holds(const void* pointer) {
    std::lock_guard lock(mutex_);
    return find(pointer) != nullptr;
  }

  // Keeps the block of a pointer from being used again before the mark.
  void use_until(const void* pointer, std::shared_ptr<Mark> mark) {
    std::lock_guard lock(mutex_);
    if (PinnedBlock* block = find(pointer)) block->uses.push_back(std::move(mark));
  }

 private:
  struct PinnedBlock {
    char* data;
    size_t bytes;
    std::vector<std::shared_ptr<Mark>> uses;

    bool is_over() const {
      return std::all_of(uses.begin(), uses.end(), [](auto& mark) { return mark->reached(); });
    }
  };

  static void release(void* context);

  void give_back(PinnedBlock* block) {
    std::lock_guard lock(mutex_);
    in_use_.erase(block->data);
    free_.push_back(block);
  }

  PinnedBlock* take(size_t bytes) {
    auto fits = [bytes](PinnedBlock* block) { return block->bytes == bytes && block->is_over(); };
    auto found = std::find_if(free_.begin(), free_.end(), fits);
    PinnedBlock* block;
    if (found == free_.end()) {
      auto* data = static_cast<char*>(std::aligned_alloc(512, bytes));
      TORCH_CHECK(data != nullptr, "out of memory");
      block = new PinnedBlock{data, bytes, {}};
    } else {
      block = *found;
      free_.erase(found);
      block->uses.clear();
    }
    poison(block->data, bytes);
    return block;
  }

  PinnedBlock* find(const void* pointer) {
    auto* at = static_cast<const char*>(pointer);
    auto after = in_use_.upper_bound(at);
    if (after == in_use_.begin()) return nullptr;
    PinnedBlock* block = std::prev(after)->second;
    return at < block->data + block->bytes ? block : nullptr;
  }

  std::mutex mutex_;
  std::map<const char*, PinnedBlock*> in_use_;
  std::vector<PinnedBlock*> free_;
};

inline PinnedAllocator& pinned() {
  static PinnedAllocator* made = new PinnedAllocator;
  return *made;
}

inline void PinnedAllocator::release(void* context) {
  if (context != nullptr) pinned().give_back(static_cast<PinnedBlock*>(context));
}

}  // namespace deferred
