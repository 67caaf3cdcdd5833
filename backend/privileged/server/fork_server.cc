#include "backend/privileged/server/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kForkBackoff = absl::Milliseconds(20);
constexpr absl::Duration kForkRetryDelay = absl::Seconds(1);

UniqueFd WatchSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Reads pending signals. True: one of them asks to stop.
bool ReadSignals(int fd) {
  bool stop = false;
  signalfd_siginfo info{};
  while (read(fd, &info, sizeof info) == sizeof info) {
    stop = stop || info.ssi_signo != SIGCHLD;
  }
  return stop;
}

bool IsReadable(int fd) {
  pollfd state{fd, POLLIN, 0};
  return poll(&state, 1, 0) > 0;
}

int PollTimeout(absl::Duration time) {
  return static_cast<int>(absl::ToInt64Milliseconds(time)) + 1;
}

}  // namespace

ForkServer::ForkServer(Options options, UniqueFd socket)
    : options_(std::move(options)), socket_(std::move(socket)) {}

absl::Status ForkServer::Open() {
  signals_ = WatchSignals();
  if (!signals_.valid()) return ErrnoError(errno, "signalfd");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return ErrnoError(errno, "pipe");
  accepted_read_.reset(ends[0]);
  accepted_write_.reset(ends[1]);
  return absl::OkStatus();
}

absl::Status ForkServer::Run() {
  RETURN_IF_ERROR(Open());
  for (bool stop = false; !stop;) {
    ForkIfNeeded();
    Sleep();
    stop = ReadSignals(signals_.get());
    ReadAccepted();
    Reap();
  }
  Drain();
  return absl::OkStatus();
}

bool ForkServer::MayFork() const {
  return waiting_ < 0 &&
         children_.size() < static_cast<size_t>(options_.max_processes);
}

void ForkServer::ForkIfNeeded() {
  const absl::Time now = absl::Now();
  if (!MayFork() || now < next_fork_at_) return;
  const bool needs_connection = options_.fork_time == ForkTime::kOnConnection ||
                                now < fork_backoff_until_;
  if (needs_connection && !IsReadable(socket_.get())) return;
  const pid_t server = getpid();
  const pid_t child = fork();
  if (child == 0) {
    signals_.reset();
    accepted_read_.reset();
    options_.run_process({.socket = socket_.get(),
                          .accepted_pipe = accepted_write_.get(),
                          .server = server,
                          .after_failure = after_failure_});
    _exit(1);
  }
  if (child < 0) {
    LogError("fork failed", {{"errno", errno}});
    next_fork_at_ = now + kForkRetryDelay;
    return;
  }
  waiting_ = child;
  children_.insert(child);
}

void ForkServer::Sleep() const {
  pollfd ready[3] = {{signals_.get(), POLLIN, 0},
                     {accepted_read_.get(), POLLIN, 0},
                     {socket_.get(), POLLIN, 0}};
  const absl::Time now = absl::Now();
  if (now < next_fork_at_) {
    poll(ready, 2, PollTimeout(next_fork_at_ - now));
  } else if (!MayFork()) {
    poll(ready, 2, -1);
  } else if (options_.fork_time == ForkTime::kOnConnection) {
    poll(ready, 3, -1);
  } else if (now < fork_backoff_until_) {
    poll(ready, 3, PollTimeout(fork_backoff_until_ - now));
  }
}

void ForkServer::ReadAccepted() {
  pid_t accepted = 0;
  while (read(accepted_read_.get(), &accepted, sizeof accepted) ==
         sizeof accepted) {
    if (accepted != waiting_) continue;
    waiting_ = -1;
    after_failure_ = false;
    // That request has priority, unless the next one waits already.
    fork_backoff_until_ = absl::Now() + kForkBackoff;
  }
}

void ForkServer::Reap() {
  int status = 0;
  for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    children_.erase(child);
    const bool has_waited = child == waiting_;
    if (has_waited) waiting_ = -1;
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kReplaceProcess)) {
      continue;
    }
    if (has_waited) {
      after_failure_ = true;
      next_fork_at_ = absl::Now() + kForkRetryDelay;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
      LogAudit("operation", {{"pid", child},
                             {"decision", "refuse"},
                             {"result", "failed"},
                             {"error", "forbidden system call"}});
    }
    LogError("request process died",
             {{"pid", child},
              {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
              {"code", WIFEXITED(status) ? WEXITSTATUS(status) : 0}});
  }
}

void ForkServer::Drain() {
  socket_.reset();
  // Processes that have a connection block SIGTERM.
  if (waiting_ > 0) kill(waiting_, SIGTERM);
  const absl::Time deadline = absl::Now() + options_.drain_timeout;
  while (absl::Now() < deadline) {
    int status = 0;
    const pid_t child = waitpid(-1, &status, WNOHANG);
    if (child < 0) break;  // no child is left
    if (child > 0) continue;
    pollfd ready{signals_.get(), POLLIN, 0};
    poll(&ready, 1, 1000);
    ReadSignals(signals_.get());
  }
}

}  // namespace carme
