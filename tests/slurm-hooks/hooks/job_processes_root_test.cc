// What is left of a job whose slurmstepd is gone, in control groups as slurmd
// makes them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "slurm-hooks/hooks/job_processes.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::hooks {
namespace {

using testing::kWaitTimeout;
using testing::WaitFor;

constexpr char kNode[] = "carme-test";
const HookJob kJob = {SlurmJobId(7), Uid(kUser)};

std::string Top() {
  const std::string node = kNode;
  return Exists("/sys/fs/cgroup/cgroup.controllers")
             ? "/sys/fs/cgroup/system.slice/" + node + "_slurmstepd.scope"
             : absl::StrCat("/sys/fs/cgroup/freezer/slurm_", node, "/uid_",
                            kUser);
}

// The groups of one task of a job.
class TaskGroup {
 public:
  explicit TaskGroup(int job)
      : path_(absl::StrCat(Top(), "/job_", job, "/step_0/task_0")) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    INFO(path_ << ": " << error.message());
    REQUIRE_FALSE(error);
  }
  ~TaskGroup() {
    // The kernel lets go of a group a moment after its last process.
    WaitFor([&] { return IsEmpty(); });
    for (std::filesystem::path path = path_; path.string() >= Top();
         path = path.parent_path()) {
      if (rmdir(path.c_str()) != 0) break;
    }
  }
  bool IsEmpty() const { return ReadFile(procs(), 1 << 20).value_or("") == ""; }
  std::string procs() const { return path_ + "/cgroup.procs"; }

 private:
  const std::string path_;
};

// Sleeps in the group, or forks without end, each child with a session of its
// own, the parents going on.
class Inmate {
 public:
  enum class Does { kSleep, kFork };
  Inmate(const TaskGroup& group, uid_t uid, Does does) : pid_(fork()) {
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const UniqueFd procs(open(group.procs().c_str(), O_WRONLY));
      if (write(procs.get(), "0", 1) != 1) _exit(1);
      if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0) {
        _exit(1);
      }
      while (does == Does::kFork) {
        if (fork() != 0) _exit(0);
        setsid();
        usleep(100);
      }
      while (true) pause();
    }
    const bool there = WaitFor(
        [&] { return !group.IsEmpty() || waitpid(pid_, nullptr, WNOHANG); });
    CHECK(there);
  }
  ~Inmate() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool Runs() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_;
};

absl::Status End() {
  return EndJobProcesses(kJob, kNode, absl::Now() + kWaitTimeout);
}

TEST_CASE("job processes: ignores processes of root and of other jobs",
          "[slurm-hooks]") {
  const TaskGroup ours(7), theirs(77);
  const Inmate other(theirs, kUser, Inmate::Does::kSleep);
  const Inmate roots(ours, 0, Inmate::Does::kSleep);
  CHECK_THAT(End(), IsOk());
  CHECK(other.Runs());
  CHECK(roots.Runs());
}

TEST_CASE("job processes: ignores processes of another node's job",
          "[slurm-hooks]") {
  const TaskGroup group(7);
  const Inmate inmate(group, kUser, Inmate::Does::kSleep);
  CHECK_THAT(EndJobProcesses(kJob, "carme", absl::Now() + kWaitTimeout),
             IsOk());
  CHECK_THAT(EndJobProcesses({SlurmJobId(8), Uid(kUser)}, kNode,
                             absl::Now() + kWaitTimeout),
             IsOk());
  CHECK(inmate.Runs());
}

TEST_CASE("job processes: ends all processes of a job, also a fork bomb",
          "[slurm-hooks]") {
  const TaskGroup group(7);
  {
    const Inmate sleeper(group, kUser, Inmate::Does::kSleep);
    // Another uid, as a container's subordinate ids look from outside.
    const Inmate stranger(group, kOtherUser, Inmate::Does::kSleep);
    CHECK_THAT(End(), IsOk());
    CHECK(WaitFor([&] { return !sleeper.Runs(); }));
    CHECK(WaitFor([&] { return !stranger.Runs(); }));
  }
  const Inmate forks(group, kUser, Inmate::Does::kFork);
  CHECK_THAT(End(), IsOk());
  CHECK(WaitFor([&] { return group.IsEmpty(); }));
}

}  // namespace
}  // namespace carme::hooks
