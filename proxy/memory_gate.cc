#include "proxy/memory_gate.h"

#include <malloc.h>

#include <limits>

#include "common/log.h"
#include "proxy/memory.h"

namespace carme::proxy {
namespace {

constexpr uint32_t kArrivalsALook = 32;

int64_t Most(int mib) {
  if (mib > 0) return int64_t{mib} << 20;
  // Where nothing can be learned of it there is no limit, and not none at all.
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max() / 2;
  const int64_t there = MemoryThere();
  return there > 0 ? there / 5 * 4 : kNoLimit;
}

}  // namespace

MemoryGate::MemoryGate(int most_mib)
    : most_(Most(most_mib)), at_once_(most_ / 10 * 11) {}

bool MemoryGate::LetsIn() {
  const bool look =
      arrivals_.fetch_add(1, std::memory_order_relaxed) % kArrivalsALook == 0;
  if (look && ResidentBytes() >= at_once_)
    short_.store(true, std::memory_order_relaxed);
  return !short_.load(std::memory_order_relaxed);
}

void MemoryGate::Keep() {
  int64_t resident = ResidentBytes();
  if (resident >= most_) {
    // glibc keeps what it was given back until it is asked.
    malloc_trim(0);
    resident = ResidentBytes();
  }
  const bool is_short = resident >= most_;
  short_.store(is_short, std::memory_order_relaxed);
  if (told_ == is_short) return;
  told_ = is_short;
  if (is_short) {
    LogError("short of memory, nobody new is let in",
             {{"mib", resident >> 20}, {"most", most_ >> 20}});
  } else {
    LogInfo("memory suffices again", {{"mib", resident >> 20}});
  }
}

}  // namespace carme::proxy
