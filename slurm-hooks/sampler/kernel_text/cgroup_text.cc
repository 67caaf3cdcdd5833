#include "slurm-hooks/sampler/kernel_text/cgroup_text.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

constexpr std::string_view kJobMark = "/job_";
// Version 1 writes the largest multiple of a page for "no limit".
constexpr uint64_t kNoLimit = uint64_t{1} << 60;
constexpr uint64_t kMaxCpus = 65536;

std::optional<double> Scaled(std::optional<uint64_t> count, double unit) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count) * unit;
}

// The path up to and including "/job_<id>"; empty: there is none.
std::string_view UpToJob(std::string_view path) {
  const size_t begin = path.find(kJobMark);
  if (begin == std::string_view::npos) return {};
  const size_t digits = begin + kJobMark.size();
  const size_t end =
      std::min(path.find_first_not_of("0123456789", digits), path.size());
  if (end == digits || (end < path.size() && path[end] != '/')) return {};
  return path.substr(0, end);
}

bool HasOption(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const size_t end = options.find(',');
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(end == std::string_view::npos ? options.size()
                                                        : end + 1);
  }
  return false;
}

struct CgroupMount {
  std::string_view root;
  std::string_view point;
};

// The mount of a controller; "" is version 2.
std::optional<CgroupMount> FindMount(std::string_view mounts,
                                     std::string_view controller) {
  std::optional<CgroupMount> found;
  while (!mounts.empty()) {
    // proc(5): id parent major:minor root point options … - type source super
    std::string_view line = TakeLine(&mounts);
    const size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view behind = line.substr(separator + 3);
    const std::string_view type = TakeWord(&behind);
    TakeWord(&behind);
    const std::string_view super = TakeWord(&behind);
    const bool matches = controller.empty()
                             ? type == "cgroup2"
                             : type == "cgroup" && HasOption(super, controller);
    if (!matches) continue;
    for (int i = 0; i < 3; ++i) TakeWord(&line);
    CgroupMount mount;
    mount.root = TakeWord(&line);
    mount.point = TakeWord(&line);
    found = mount;  // a later mount covers an earlier one
  }
  return found;
}

std::string DirectoryOf(const CgroupMount& mount, std::string_view path) {
  if (mount.root != "/" && path.starts_with(mount.root)) {
    path.remove_prefix(mount.root.size());
  }
  return std::string(mount.point) + std::string(path);
}

}  // namespace

CgroupCpu ParseCpuStat(std::string_view text) {
  CgroupCpu cpu;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    const std::string_view key = TakeWord(&line);
    const auto value = ParseCount(TakeWord(&line));
    if (key == "usage_usec") cpu.seconds = Scaled(value, 1e-6);
    if (key == "user_usec") cpu.user_seconds = Scaled(value, 1e-6);
    if (key == "system_usec") cpu.system_seconds = Scaled(value, 1e-6);
    if (key == "nr_throttled") cpu.throttled_periods = value;
    if (key == "throttled_usec") cpu.throttled_seconds = Scaled(value, 1e-6);
    if (key == "throttled_time") cpu.throttled_seconds = Scaled(value, 1e-9);
  }
  return cpu;
}

CgroupCpu ParseCpuAcctStat(std::string_view text) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  return {.seconds = std::nullopt,
          .user_seconds = Scaled(ParseKey(text, "user"), tick),
          .system_seconds = Scaled(ParseKey(text, "system"), tick),
          .throttled_seconds = std::nullopt,
          .throttled_periods = std::nullopt};
}

CgroupMemory ParseMemoryStat(std::string_view text) {
  CgroupMemory own;
  CgroupMemory total;
  bool is_v1 = false;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    const std::string_view key = TakeWord(&line);
    const auto value = ParseCount(TakeWord(&line));
    if (key == "anon") own.anonymous_bytes = value;
    if (key == "file") own.cache_bytes = value;
    if (key == "shmem") own.shared_bytes = value;
    if (key.starts_with("total_")) is_v1 = true;
    if (key == "total_rss") total.anonymous_bytes = value;
    if (key == "total_cache") total.cache_bytes = value;
    if (key == "total_shmem") total.shared_bytes = value;
    if (key == "total_swap") total.swap_bytes = value;
  }
  return is_v1 ? total : own;
}

std::optional<uint64_t> ParseMemoryLimit(std::string_view text) {
  const auto limit = ParseOnlyCount(text);
  if (!limit || *limit >= kNoLimit) return std::nullopt;
  return limit;
}

std::optional<uint64_t> CountCpus(std::string_view text) {
  std::string_view list = TakeLine(&text);
  uint64_t count = 0;
  while (!list.empty()) {
    const size_t end = list.find(',');
    const std::string_view range = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    const size_t dash = range.find('-');
    const auto first = ParseCount(range.substr(0, dash));
    const auto last = dash == std::string_view::npos
                          ? first
                          : ParseCount(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMaxCpus) {
      return std::nullopt;
    }
    count += *last - *first + 1;
  }
  if (count == 0) return std::nullopt;
  return count;
}

std::optional<uint64_t> ParseKey(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    if (TakeWord(&line) == key) return ParseCount(TakeWord(&line));
  }
  return std::nullopt;
}

std::map<std::string, CgroupIo> ParseIoStat(std::string_view text) {
  std::map<std::string, CgroupIo> devices;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    const std::string_view device = TakeWord(&line);
    if (device.find(':') == std::string_view::npos) continue;
    CgroupIo io;
    for (std::string_view word; !(word = TakeWord(&line)).empty();) {
      const size_t equal = word.find('=');
      if (equal == std::string_view::npos) continue;
      const std::string_view key = word.substr(0, equal);
      const auto value = ParseCount(word.substr(equal + 1));
      if (key == "rbytes") io.read_bytes = value;
      if (key == "wbytes") io.written_bytes = value;
      if (key == "rios") io.reads = value;
      if (key == "wios") io.writes = value;
    }
    // A device that was never used has no numbers.
    if (io.read_bytes || io.written_bytes) devices[std::string(device)] = io;
  }
  return devices;
}

std::map<std::string, CgroupIo> ParseBlkio(std::string_view bytes,
                                           std::string_view operations) {
  std::map<std::string, CgroupIo> devices;
  for (const bool is_bytes : {true, false}) {
    std::string_view text = is_bytes ? bytes : operations;
    while (!text.empty()) {
      std::string_view line = TakeLine(&text);
      const std::string_view device = TakeWord(&line);
      const std::string_view kind = TakeWord(&line);
      const auto value = ParseCount(TakeWord(&line));
      if (device.find(':') == std::string_view::npos) continue;
      CgroupIo& io = devices[std::string(device)];
      if (kind == "Read") (is_bytes ? io.read_bytes : io.reads) = value;
      if (kind == "Write") (is_bytes ? io.written_bytes : io.writes) = value;
    }
  }
  return devices;
}

Pressure ParsePressure(std::string_view text) {
  constexpr std::string_view kTotal = "total=";
  Pressure pressure;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    const std::string_view kind = TakeWord(&line);
    const size_t at = line.find(kTotal);
    if (at == std::string_view::npos) continue;
    const auto value =
        Scaled(ParseCount(line.substr(at + kTotal.size())), 1e-6);
    if (kind == "some") pressure.some_seconds = value;
    if (kind == "full") pressure.full_seconds = value;
  }
  return pressure;
}

JobCgroups FindJobCgroups(std::string_view cgroups, std::string_view mounts) {
  JobCgroups found;
  std::string unified;
  while (!cgroups.empty()) {
    // cgroups(7): hierarchy:controllers:path
    const std::string_view line = TakeLine(&cgroups);
    const size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view job = UpToJob(line.substr(second + 1));
    if (job.empty()) continue;
    if (controllers.empty()) {
      const auto mount = FindMount(mounts, "");
      if (mount) unified = DirectoryOf(*mount, job);
      continue;
    }
    while (!controllers.empty()) {
      const size_t end = controllers.find(',');
      const std::string_view one = controllers.substr(0, end);
      controllers.remove_prefix(
          end == std::string_view::npos ? controllers.size() : end + 1);
      const auto mount = FindMount(mounts, one);
      if (mount) found[std::string(one)] = DirectoryOf(*mount, job);
    }
  }
  if (found.empty() && !unified.empty()) found[""] = unified;
  return found;
}

std::string_view StepOfDirectory(std::string_view name) {
  constexpr std::string_view kPrefix = "step_";
  if (!name.starts_with(kPrefix)) return {};
  return name.substr(kPrefix.size());
}

}  // namespace carme::sampler
