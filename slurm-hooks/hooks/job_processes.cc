#include "slurm-hooks/hooks/job_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

constexpr size_t kMaxBytes = 16 << 20;
constexpr absl::Duration kNap = absl::Milliseconds(10);

struct Group {
  std::string path;
  bool v2 = false;
};

bool Exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

// proc(5): "36 35 98:0 /root /mount/point options… - type source options".
std::vector<Group> Hierarchies() {
  std::vector<Group> found;
  const auto mounts = ReadFile("/proc/self/mountinfo", kMaxBytes);
  if (!mounts.ok()) return found;
  for (const absl::string_view line : absl::StrSplit(*mounts, '\n')) {
    const size_t dash = line.find(" - cgroup");
    if (dash == absl::string_view::npos) continue;
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    if (fields.size() < 5) continue;
    found.push_back({std::string(fields[4]),
                     absl::StartsWith(line.substr(dash), " - cgroup2 ")});
  }
  return found;
}

// The groups of this slurmd: its name is in the path if several share a kernel.
std::vector<Group> GroupsOf(const HookJob& job, const std::string& node) {
  const std::string name = absl::StrCat("job_", job.id.value());
  std::vector<Group> groups;
  for (const Group& top : Hierarchies()) {
    std::vector<std::string> places;
    if (top.v2) {
      places = {"/system.slice/slurmstepd.scope/",
                absl::StrCat("/system.slice/", node, "_slurmstepd.scope/")};
    } else {
      const std::string user = absl::StrCat("/uid_", job.uid.value(), "/");
      places = {absl::StrCat("/slurm", user),
                absl::StrCat("/slurm_", node, user)};
    }
    for (const std::string& place : places) {
      std::string path = absl::StrCat(top.path, place, name);
      if (Exists(path)) groups.push_back({std::move(path), top.v2});
    }
  }
  return groups;
}

// Freezes the group, so that it cannot fork.
void Hold(const Group& group, bool hold) {
  const std::string path =
      absl::StrCat(group.path, group.v2 ? "/cgroup.freeze" : "/freezer.state");
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return;  // another controller's
  const std::string order =
      group.v2 ? (hold ? "1" : "0") : (hold ? "FROZEN" : "THAWED");
  // If it cannot be frozen, the next pass finds new processes.
  [[maybe_unused]] const ssize_t put =
      write(fd.get(), order.data(), order.size());
}

void AddProcesses(const std::string& directory, std::set<pid_t>* found) {
  const auto text =
      ReadFile(absl::StrCat(directory, "/cgroup.procs"), kMaxBytes);
  if (!text.ok()) return;  // it went away meanwhile
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    int pid = 0;
    if (absl::SimpleAtoi(line, &pid) && pid > 1) found->insert(pid);
  }
}

std::set<pid_t> ProcessesIn(const std::vector<Group>& groups) {
  namespace fs = std::filesystem;
  std::set<pid_t> found;
  for (const Group& group : groups) {
    AddProcesses(group.path, &found);
    std::error_code error;
    fs::recursive_directory_iterator at(group.path, error);
    for (; !error && at != fs::recursive_directory_iterator();
         at.increment(error)) {
      if (at->is_directory(error)) AddProcesses(at->path().string(), &found);
    }
  }
  return found;
}

// slurmstepd is root's, and may be in a group of the job with cgroup v2.
bool IsRoots(const std::string& status) {
  for (const absl::string_view line : absl::StrSplit(status, '\n')) {
    if (!absl::StartsWith(line, "Uid:\t")) continue;
    const std::vector<absl::string_view> ids =
        absl::StrSplit(line.substr(5), '\t');
    return std::all_of(ids.begin(), ids.end(),
                       [](absl::string_view id) { return id == "0"; });
  }
  return false;
}

// Returns false if it is not of the job or has ended. The descriptor identifies
// the checked process even if its number is reused.
bool Kill(pid_t pid, const HookJob& job) {
  const UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!fd.valid()) return false;
  const std::string process = absl::StrCat("/proc/", pid);
  const auto groups = ReadFile(process + "/cgroup", kMaxBytes);
  const auto status = ReadFile(process + "/status", kMaxBytes);
  if (!groups.ok() || !status.ok() || IsRoots(*status) ||
      absl::StrContains(*status, "\nState:\tZ") ||
      !absl::StrContains(absl::StrReplaceAll(*groups, {{"\n", "/"}}),
                         absl::StrCat("/job_", job.id.value(), "/"))) {
    return false;
  }
  syscall(SYS_pidfd_send_signal, fd.get(), SIGKILL, nullptr, 0);
  return true;
}

}  // namespace

absl::Status EndJobProcesses(const HookJob& job, const std::string& node,
                             absl::Time deadline) {
  const std::vector<Group> groups = GroupsOf(job, node);
  while (true) {
    if (ProcessesIn(groups).empty()) return absl::OkStatus();
    int left = 0;
    for (const Group& group : groups) Hold(group, true);
    for (const pid_t pid : ProcessesIn(groups)) left += Kill(pid, job) ? 1 : 0;
    for (const Group& group : groups) Hold(group, false);
    if (left == 0) return absl::OkStatus();
    if (absl::Now() > deadline) {
      return MakePlainError(hook_messages::kProcessesLeft,
                            {{"processes", left}, {"job", job.id.value()}});
    }
    absl::SleepFor(kNap);
  }
}

}  // namespace carme::hooks
