#include "slurm-hooks/hooks/guarded_run.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

constexpr size_t kMaxFailureBytes = 1000;

// Shared with the children that run bodies; null: no memory.
char* FailureText() {
  static char* const text = [] {
    void* const memory =
        mmap(nullptr, kMaxFailureBytes + 1, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  }();
  return text;
}

void Complain(const char* name, const absl::Status& status) {
  if (char* const text = FailureText()) {
    std::snprintf(text, kMaxFailureBytes + 1, "%s", status.ToString().c_str());
  }
  const char* job = std::getenv("SLURM_JOB_ID");
  const LogFields fields = {{"hook", name},
                            {"slurm_job", job == nullptr ? "" : job},
                            {"error", status.ToString()}};
  LogError("hook failed", fields);
  openlog(name, LOG_PID, LOG_DAEMON);
  syslog(LOG_ERR, "%s", FormatLogLine("error", "hook failed", fields).c_str());
}

// Waits for `pid` for at most `limit` with SIGCHLD blocked; the signal of an
// earlier child may still be pending.
bool EndedWithin(pid_t pid, absl::Duration limit, int* state) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const absl::Time deadline = absl::Now() + limit;
  while (waitpid(pid, state, WNOHANG) != pid) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    const timespec timeout = absl::ToTimespec(left);
    sigtimedwait(&child, nullptr, &timeout);
  }
  return true;
}

}  // namespace

int RunGuarded(const char* name, absl::Duration limit,
               const std::function<absl::Status()>& body) {
  FailureText();  // before the fork
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
    // the parent does not know the reason
    if (!status.ok()) Complain(name, status);
    _exit(0);
  }
  int state = 0;
  const bool in_time = EndedWithin(pid, limit, &state);
  if (!in_time) {
    kill(pid, SIGKILL);
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
    }
    Complain(name, MakePlainError(hook_messages::kKilled,
                                  {{"limit", absl::FormatDuration(limit)}}));
  } else if (WIFSIGNALED(state)) {
    Complain(name, absl::InternalError(
                       absl::StrCat("ended by signal ", WTERMSIG(state))));
  }
  return 0;
}

std::string GuardedFailure() {
  const char* const text = FailureText();
  return text == nullptr ? "" : text;
}

bool* SharedBool() {
  void* const memory = mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  static bool never = false;  // without memory nothing more is done
  return memory == MAP_FAILED ? &never : static_cast<bool*>(memory);
}

}  // namespace carme::hooks
