#include "proxy/memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
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

// The least limit on the way from this process's control group to the root's.
int64_t OfControlGroups(int64_t most) {
  const absl::StatusOr<std::string> text = ReadFile("/proc/self/cgroup");
  if (!text.ok()) return most;
  const size_t at = text->rfind("0::/");
  if (at == std::string::npos) return most;
  std::string group = text->substr(at + 3, text->find('\n', at) - at - 3);
  for (;;) {
    most = std::min(most,
                    NumberIn("/sys/fs/cgroup" + group + "/memory.max", most));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos || group.size() <= 1) return most;
    group.resize(slash);
  }
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
