#include "proxy/memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/unique_fd.h"

namespace carme::proxy {
namespace {

// The number at the beginning of a file; `otherwise` where there is none, as
// in "max".
int64_t NumberIn(const std::string& path, int64_t otherwise) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  int64_t number = 0;
  if (!text.ok() ||
      std::from_chars(text->data(), text->data() + text->size(), number).ec !=
          std::errc()) {
    return otherwise;
  }
  return number;
}

// The least limit on the way from a control group to the root's.
int64_t LeastOf(std::string group, const std::string& hierarchy,
                const std::string& limit, int64_t most) {
  for (;;) {
    most = std::min(most, NumberIn(hierarchy + group + limit, most));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos || group.size() <= 1) return most;
    group.resize(slash);
  }
}

// Of both kinds of hierarchies (cgroups(7)): a host may have both, and memory
// is in one of them.
int64_t OfControlGroups(int64_t most) {
  const absl::StatusOr<std::string> text = ReadFile("/proc/self/cgroup");
  if (!text.ok()) return most;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[0] == "0") {
      most = LeastOf(parts[2], "/sys/fs/cgroup", "/memory.max", most);
    } else if (parts[1] == "memory") {
      most = LeastOf(parts[2], "/sys/fs/cgroup/memory",
                     "/memory.limit_in_bytes", most);
    }
  }
  return most;
}

}  // namespace

int64_t MemoryThere() {
  int64_t most = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    most = std::min(most, static_cast<int64_t>(space.rlim_cur));
  }
  return OfControlGroups(most);
}

int64_t ResidentBytes() {
  // Looked at twice a second: without memory of its own.
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

}  // namespace carme::proxy
