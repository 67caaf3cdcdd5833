#include "slurm-hooks/guarded_run.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::hooks {
namespace {

void Complain(const char* name, const absl::Status& status) {
  const char* job = std::getenv("SLURM_JOB_ID");
  const LogFields fields = {{"hook", name},
                            {"slurm_job", job == nullptr ? "" : job},
                            {"error", status.ToString()}};
  LogError("hook failed", fields);
  openlog(name, LOG_PID, LOG_DAEMON);
  syslog(LOG_ERR, "%s", FormatLogLine("error", "hook failed", fields).c_str());
}

// Waits for SIGCHLD, which is blocked, and not longer than `limit`.
bool EndedWithin(absl::Duration limit) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const timespec patience = absl::ToTimespec(limit);
  int got = -1;
  do {
    got = sigtimedwait(&child, nullptr, &patience);
  } while (got < 0 && errno == EINTR);
  return got == SIGCHLD;
}

}  // namespace

int RunGuarded(const char* name, absl::Duration limit,
               const std::function<absl::Status()>& body) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    Complain(name, ErrnoError(errno, "fork"));
    return 0;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const absl::Status status = body();
    if (!status.ok()) Complain(name, status);  // the parent cannot know why
    _exit(0);
  }
  const bool in_time = EndedWithin(limit);
  if (!in_time) kill(pid, SIGKILL);
  int state = 0;
  while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    Complain(name, absl::DeadlineExceededError(absl::StrCat(
                       "killed after ", absl::FormatDuration(limit))));
  } else if (WIFSIGNALED(state)) {
    Complain(name, absl::InternalError(
                       absl::StrCat("ended by signal ", WTERMSIG(state))));
  }
  return 0;
}

bool* SharedBool() {
  void* const memory = mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  static bool never = false;  // without memory nothing more is done
  return memory == MAP_FAILED ? &never : static_cast<bool*>(memory);
}

}  // namespace carme::hooks
