#include "proxy/limits/overload_manager.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/log.h"
#include "common/unique_fd.h"

namespace carme::proxy {
namespace {

// Reads the number at the start of a file. Returns `otherwise` when there is
// none, as in "max".
int64_t ReadNumber(const std::string& path, int64_t otherwise) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  int64_t number = 0;
  if (!text.ok() ||
      std::from_chars(text->data(), text->data() + text->size(), number).ec !=
          std::errc()) {
    return otherwise;
  }
  return number;
}

// The lowest limit of a control group and its parents.
int64_t MinOfCgroupPath(std::string group, const std::string& hierarchy,
                        const std::string& limit, int64_t limit_bytes) {
  for (;;) {
    limit_bytes = std::min(limit_bytes,
                           ReadNumber(hierarchy + group + limit, limit_bytes));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos || group.size() <= 1) return limit_bytes;
    group.resize(slash);
  }
}

// Covers both cgroup versions (cgroups(7)): a host may have both, with memory
// in one of them.
int64_t CgroupMemoryLimit(int64_t limit_bytes) {
  const absl::StatusOr<std::string> text = ReadFile("/proc/self/cgroup");
  if (!text.ok()) return limit_bytes;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[0] == "0") {
      limit_bytes = MinOfCgroupPath(parts[2], "/sys/fs/cgroup", "/memory.max",
                                    limit_bytes);
    } else if (parts[1] == "memory") {
      limit_bytes = MinOfCgroupPath(parts[2], "/sys/fs/cgroup/memory",
                                    "/memory.limit_in_bytes", limit_bytes);
    }
  }
  return limit_bytes;
}

// For event loops, the backend, files, and admin connections.
constexpr rlim_t kReservedFds = 100;
constexpr rlim_t kFdsPerConnection = 2;

constexpr uint32_t kConnectionsPerCheck = 32;

int64_t MaxResidentBytes(int mib) {
  if (mib > 0) return int64_t{mib} << 20;
  // Without any information there is no limit.
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max() / 2;
  const int64_t available = AvailableMemory();
  return available > 0 ? available / 5 * 4 : kNoLimit;
}

}  // namespace

int64_t AvailableMemory() {
  int64_t limit_bytes =
      int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limit_bytes = std::min(limit_bytes, static_cast<int64_t>(space.rlim_cur));
  }
  return CgroupMemoryLimit(limit_bytes);
}

int64_t ResidentBytes() {
  // Called twice a second: allocates no memory.
  const UniqueFd fd(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t size = fd.valid() ? read(fd.get(), text, sizeof text) : -1;
  if (size <= 0) return 0;
  const std::string_view line(text, static_cast<size_t>(size));
  const size_t blank = line.find(' ');
  int64_t pages = 0;
  if (blank == std::string_view::npos) return 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), pages);
  return pages * sysconf(_SC_PAGESIZE);
}

int MaxConnections(int wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur == RLIM_INFINITY) return wanted;
  const rlim_t free = limit.rlim_cur - std::min(limit.rlim_cur, kReservedFds);
  const auto possible = static_cast<int>(std::clamp<rlim_t>(
      free / kFdsPerConnection, 1, static_cast<rlim_t>(wanted)));
  if (possible < wanted) {
    LogWarning("descriptor limit too low for max_connections",
               {{"max_connections", possible},
                {"configured", wanted},
                {"descriptors", limit.rlim_cur}});
  }
  return possible;
}

OverloadManager::OverloadManager(int max_mib)
    : max_bytes_(MaxResidentBytes(max_mib)),
      hard_max_bytes_(max_bytes_ / 10 * 11) {}

bool OverloadManager::AllowNewConnection() {
  const bool measure = connections_.fetch_add(1, std::memory_order_relaxed) %
                           kConnectionsPerCheck ==
                       0;
  if (measure && ResidentBytes() >= hard_max_bytes_)
    overloaded_.store(true, std::memory_order_relaxed);
  return !overloaded_.load(std::memory_order_relaxed);
}

void OverloadManager::Update() {
  int64_t resident = ResidentBytes();
  if (resident >= max_bytes_) {
    // glibc returns freed memory to the kernel only when it is asked to.
    malloc_trim(0);
    resident = ResidentBytes();
  }
  const bool overloaded = resident >= max_bytes_;
  overloaded_.store(overloaded, std::memory_order_relaxed);
  if (logged_ == overloaded) return;
  logged_ = overloaded;
  if (overloaded) {
    LogError("memory limit reached, rejecting new connections",
             {{"resident_mib", resident >> 20}, {"max_mib", max_bytes_ >> 20}});
  } else {
    LogInfo("memory below the limit, accepting new connections",
            {{"resident_mib", resident >> 20}});
  }
}

}  // namespace carme::proxy
