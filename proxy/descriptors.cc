#include "proxy/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

#include "common/log.h"

namespace carme::proxy {
namespace {

// Loops, the backend, files, the house's own visitors.
constexpr rlim_t kReserve = 100;
constexpr rlim_t kOfConnection = 2;

}  // namespace

int MostConnections(int wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur == RLIM_INFINITY) return wanted;
  const rlim_t free = limit.rlim_cur - std::min(limit.rlim_cur, kReserve);
  const auto possible = static_cast<int>(
      std::clamp<rlim_t>(free / kOfConnection, 1, static_cast<rlim_t>(wanted)));
  if (possible < wanted) {
    LogWarning("fewer connections than configured, for want of descriptors",
               {{"most", possible},
                {"configured", wanted},
                {"descriptors", limit.rlim_cur}});
  }
  return possible;
}

}  // namespace carme::proxy
