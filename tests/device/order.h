// Checks that all accesses to a block of memory are ordered by streams, events and the host.
//
// Every stream counts what is queued on it. A clock has a count for each stream: all work up to it
// happens before. A stream's clock grows by its own work, by waiting for an event, and by what the
// host had waited for when it queued the work. Two overlapping accesses of which one writes must be
// ordered: the first one's count must be within the clock of the second. This does not depend on
// how long anything takes, so a missing wait is found even if the work happens to be in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deferred {

constexpr int DEVICES = 2;
constexpr int STREAMS = 33;  // of each device: the default one and a pool of 32, as torch has

using Clock = std::array<uint64_t, DEVICES * STREAMS>;

inline void merge(Clock& into, const Clock& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

struct Access {
  const char* first;
  const char* end;
  bool writes;
  int stream = 0;
  uint64_t count = 0;
  std::string name;
};

class History {
 public:
  // Adds an access whose stream has this clock. Returns the name of an access that is not ordered
  // with it, or "". `host` is the clock of all work that is over when a device was synchronised.
  std::string add(const Access& access, const Clock& clock, const Clock& host) {
    std::string conflict;
    std::vector<Access> kept;
    for (Access& earlier : accesses_) {
      bool known_to_all = earlier.count <= host[earlier.stream];
      if (known_to_all) continue;
      bool overlaps = earlier.first < access.end && access.first < earlier.end;
      bool ordered = earlier.count <= clock[earlier.stream];
      if (overlaps && !ordered && (earlier.writes || access.writes)) conflict = earlier.name;
      bool replaced = ordered && (access.writes || !earlier.writes) &&
          access.first <= earlier.first && earlier.end <= access.end;
      // A later access that is ordered with this one is ordered with the replaced one too.
      if (!replaced || conflict == earlier.name) kept.push_back(std::move(earlier));
    }
    accesses_ = std::move(kept);
    accesses_.push_back(access);
    return conflict;
  }

 private:
  std::vector<Access> accesses_;
};

}  // namespace deferred
