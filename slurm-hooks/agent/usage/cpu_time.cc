#include "slurm-hooks/agent/usage/cpu_time.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/unique_fd.h"

namespace carme::agent {
namespace {

constexpr std::string_view kMark = "/job_";
constexpr size_t kMaxBytes = 16 * 1024;

// Reads at most kMaxBytes of a file of /proc; empty if it does not exist.
std::string Contents(int directory, const std::string& name) {
  const UniqueFd fd(openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return "";
  std::string text(kMaxBytes, '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = read(fd.get(), text.data() + have, text.size() - have);
    if (got <= 0) break;
    have += static_cast<size_t>(got);
  }
  text.resize(have);
  return text;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

std::string ParseJobCgroup(std::string_view cgroups) {
  const size_t begin = cgroups.find(kMark);
  if (begin == std::string_view::npos) return "";
  const size_t end =
      cgroups.find_first_not_of("0123456789", begin + kMark.size());
  const std::string_view mark =
      cgroups.substr(begin, end == std::string_view::npos ? end : end - begin);
  return mark.size() > kMark.size() ? std::string(mark) : "";
}

bool IsInJobCgroup(std::string_view cgroups, std::string_view mark) {
  for (size_t at = cgroups.find(mark); at != std::string_view::npos;
       at = cgroups.find(mark, at + 1)) {
    const size_t end = at + mark.size();
    if (end == cgroups.size() || cgroups[end] == '/' || cgroups[end] == '\n') {
      return true;
    }
  }
  return false;
}

std::optional<absl::Duration> ParseCpuTime(std::string_view stat) {
  // A program name may contain any character, including parentheses and spaces.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = stat.substr(name_end + 2);
  const std::vector<std::string> fields =
      absl::StrSplit(absl::string_view(rest.data(), rest.size()), ' ');
  // proc(5): the state is field 3, the four times are 14 to 17.
  constexpr size_t kFirstTime = 14 - 3;
  if (fields.size() < kFirstTime + 4) return std::nullopt;
  int64_t ticks = 0;
  for (size_t i = kFirstTime; i < kFirstTime + 4; ++i) {
    int64_t one = 0;
    if (!absl::SimpleAtoi(fields[i], &one) || one < 0) return std::nullopt;
    ticks += one;
  }
  return absl::Seconds(ticks) / sysconf(_SC_CLK_TCK);
}

std::optional<absl::Duration> ReadJobCpuTime() {
  const std::unique_ptr<DIR, CloseDirectory> proc(opendir("/proc"));
  if (proc == nullptr) return std::nullopt;
  const int fd = dirfd(proc.get());
  const std::string mark = ParseJobCgroup(Contents(fd, "self/cgroup"));
  const uid_t uid = getuid();
  absl::Duration used;
  while (const dirent* const entry = readdir(proc.get())) {
    int32_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid) || pid == getpid()) continue;
    struct stat info {};
    // A process that may not be traced belongs to root here.
    if (fstatat(fd, entry->d_name, &info, 0) != 0 ||
        (info.st_uid != uid && (info.st_uid != 0 || mark.empty()))) {
      continue;
    }
    const std::string name = entry->d_name;
    if (!mark.empty() && !IsInJobCgroup(Contents(fd, name + "/cgroup"), mark)) {
      continue;
    }
    const auto of_one = ParseCpuTime(Contents(fd, name + "/stat"));
    if (of_one) used += *of_one;
  }
  return used;
}

}  // namespace carme::agent
