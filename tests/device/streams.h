// Streams of the test device: threads with queues. What is queued runs later, after random delays.
#pragma once

#include "order.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace deferred {

constexpr c10::DeviceType TYPE = c10::DeviceType::PrivateUse1;

inline long setting(const char* name, long otherwise) {
  const char* given = std::getenv(name);
  return given ? std::atol(given) : otherwise;
}

inline int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// A device's clock has a zero and a speed of its own: 20 millionths faster for each device.
inline int64_t device_time(int device) {
  static const int64_t start = now_ns();
  int64_t passed = now_ns() - start;
  return (device + 1) * 1'000'000'000'000 + passed + passed / 50'000 * (device + 1);
}

// A point in a stream's queue that others can wait for.
class Mark {
 public:
  explicit Mark(int device) : device(device) {}

  void reach() {
    std::lock_guard lock(mutex_);
    time_ = device_time(device);
    reached_ = true;
    condition_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return reached_; });
  }

  bool reached() {
    std::lock_guard lock(mutex_);
    return reached_;
  }

  int64_t time() {
    std::lock_guard lock(mutex_);
    TORCH_CHECK(reached_, "the event has not happened yet");
    return time_;
  }

  const int device;
  Clock clock{};

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool reached_ = false;
  int64_t time_ = 0;
};

// What everything shares: the lock that orders all queueing, and what has gone wrong.
struct Shared {
  std::recursive_mutex queueing;
  Clock host{};  // all work for which the host has waited by synchronising a device
  Clock waited{};  // all work for which any thread of the host has waited
  std::vector<std::string> races;
  std::mutex error_mutex;
  std::string error;  // of a kernel; raised by the next wait of the host

  void fail(const std::string& text) {
    std::lock_guard lock(error_mutex);
    if (error.empty()) error = text;
  }

  void raise_error() {
    std::lock_guard lock(error_mutex);
    if (error.empty()) return;
    std::string text;
    text.swap(error);
    TORCH_CHECK(false, "a kernel failed: ", text);
  }
};

inline Shared& shared() {
  static Shared* made = new Shared;  // never deleted: threads of streams use it until the end
  return *made;
}

// The work for which this thread of the host has waited. Another thread does not know of it, so that
// a wait counts only in the thread that needs it.
inline thread_local Clock known{};

class Stream {
 public:
  Stream(int device, int id)
      : device(device), id(id), random_(setting("DEFERRED_SEED", 0) * 1000 + device * 100 + id) {
    std::thread([this] { run(); }).detach();
  }

  int number() const { return device * STREAMS + id; }

  // Call with shared().queueing locked.
  void queue(std::function<void()> work, bool is_kernel) {
    merge(clock, shared().host);
    merge(clock, known);
    clock[number()] += 1;
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(work), is_kernel});
    condition_.notify_one();
  }

  std::shared_ptr<Mark> mark() {
    std::lock_guard lock(shared().queueing);
    auto made = std::make_shared<Mark>(device);
    queue([made] { made->reach(); }, false);
    made->clock = clock;
    return made;
  }

  void wait_for(const std::shared_ptr<Mark>& mark) {
    std::lock_guard lock(shared().queueing);
    queue([mark] { mark->wait(); }, false);
    merge(clock, mark->clock);
  }

  const int device;
  const int id;
  Clock clock{};

 private:
  struct Work {
    std::function<void()> work;
    bool is_kernel;
  };

  void run() {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::NoGradGuard no_grad;
    while (true) {
      Work next = take();
      if (next.is_kernel) delay();
      try {
        next.work();
      } catch (const c10::Error& failure) {
        shared().fail(failure.what_without_backtrace());
      } catch (const std::exception& failure) {
        shared().fail(failure.what());
      }
    }
  }

  Work take() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return !queue_.empty(); });
    Work next = std::move(queue_.front());
    queue_.pop_front();
    return next;
  }

  // A quarter of all kernels begin late, and a few of them so late that other streams are ahead by
  // whole tasks.
  void delay() {
    static const long longest_us = setting("DEFERRED_DELAY_US", 400);
    std::uniform_real_distribution<double> draw(0, 1);
    double kind = draw(random_);
    if (longest_us == 0 || kind > 0.25) return;
    double us = draw(random_) * longest_us * (kind < 0.015 ? 10 : 1);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
  }

  std::mt19937 random_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<Work> queue_;
};

// Returns a stream, which is started at its first use.
inline Stream& stream_at(int device, int64_t id) {
  static std::mutex mutex;
  static std::array<Stream*, DEVICES * STREAMS> streams{};
  TORCH_CHECK(0 <= device && device < DEVICES && 0 <= id && id < STREAMS, "no such stream");
  std::lock_guard lock(mutex);
  Stream*& found = streams[device * STREAMS + id];
  if (found == nullptr) found = new Stream(device, static_cast<int>(id));
  return *found;
}

inline thread_local int current_device = 0;
inline thread_local std::array<int64_t, DEVICES> current_stream{};

inline Stream& current(int device) { return stream_at(device, current_stream[device]); }

// The host waits for a mark; work that this thread queues after that is ordered after the mark.
inline void host_wait(const std::shared_ptr<Mark>& mark) {
  mark->wait();
  merge(known, mark->clock);
  {
    std::lock_guard lock(shared().queueing);
    merge(shared().waited, mark->clock);
  }
  shared().raise_error();
}

inline bool host_query(const std::shared_ptr<Mark>& mark) {
  if (!mark->reached()) return false;
  host_wait(mark);
  return true;
}

inline void synchronize_device(int device) {
  std::vector<std::shared_ptr<Mark>> marks;
  for (int64_t id = 0; id < STREAMS; ++id) marks.push_back(stream_at(device, id).mark());
  for (auto& mark : marks) host_wait(mark);
  std::lock_guard lock(shared().queueing);
  for (auto& mark : marks) merge(shared().host, mark->clock);
}

}  // namespace deferred
