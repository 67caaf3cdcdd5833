#include "slurm-hooks/process/children.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status.h"
#include "slurm-hooks/process/messages.h"

namespace carme::node {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr absl::Duration kPause = absl::Milliseconds(5);

// As process 1 of a namespace, kill(-1) reaches all processes in it. Otherwise
// only descendants may be killed: -1 would reach the user's other jobs.
void KillThoseBelow() {
  if (getpid() == 1) {
    kill(-1, SIGKILL);
    return;
  }
  std::ifstream children(
      absl::StrCat("/proc/self/task/", getpid(), "/children"));
  for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
}

}  // namespace

std::set<pid_t> ChildrenOf(pid_t process) {
  std::set<pid_t> all;
  std::error_code ignored;
  // Each thread has a list of its own.
  for (const auto& thread : std::filesystem::directory_iterator(
           absl::StrCat("/proc/", process, "/task"), ignored)) {
    std::ifstream children(thread.path() / "children");
    for (pid_t child = 0; children >> child;) all.insert(child);
  }
  return all;
}

absl::Status Children::Adopt() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return absl::OkStatus();
  return ErrnoError(errno, "become the reaper of orphans");
}

absl::StatusOr<pid_t> Children::Start(uint64_t id, const Launch& launch) {
  if (running_.count(id) != 0) {
    return MakePlainError(process_messages::kRunsAlready, {{"program", id}});
  }
  ASSIGN_OR_RETURN(const ChildProcess child, ChildProcess::Start(launch));
  running_[id] = child.pid();
  return child.pid();
}

void Children::Signal(uint64_t id, int number) const {
  const auto found = running_.find(id);
  if (found != running_.end()) kill(-found->second, number);
}

std::vector<Children::End> Children::TakeEnds() {
  std::vector<End> ends;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (auto child = running_.begin(); child != running_.end(); ++child) {
      if (child->second != pid) continue;
      kill(-pid, SIGKILL);
      ends.push_back({child->first, EndOf(status)});
      running_.erase(child);
      break;
    }
  }
  return ends;
}

void Children::KillAll() {
  const absl::Time deadline = absl::Now() + kTimeout;
  // In a loop: the children of killed processes become children of this one.
  while (absl::Now() < deadline) {
    KillThoseBelow();
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (reaped < 0 && errno == ECHILD) break;
    absl::SleepFor(kPause);
  }
  running_.clear();
}

}  // namespace carme::node
