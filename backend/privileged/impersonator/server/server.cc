#include "backend/privileged/impersonator/server/server.h"

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/impersonator/server/prefork.h"
#include "backend/privileged/privsep/account.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(10);
constexpr absl::Duration kForkBackoff = absl::Milliseconds(20);
constexpr absl::Duration kForkRetryDelay = absl::Seconds(1);
constexpr size_t kMaxStorageProcesses = 4;

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

PrivilegedServer::PrivilegedServer(const Parts& parts, UniqueFd socket,
                                   UniqueFd storage)
    : parts_(parts),
      socket_(std::move(socket)),
      storage_socket_(std::move(storage)) {}

absl::Status PrivilegedServer::Open() {
  signals_ = WatchSignals();
  if (!signals_.valid()) return ErrnoError(errno, "signalfd");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return ErrnoError(errno, "pipe");
  accepted_read_.reset(ends[0]);
  accepted_write_.reset(ends[1]);
  return absl::OkStatus();
}

absl::Status PrivilegedServer::Run() {
  RETURN_IF_ERROR(Open());
  for (bool stop = false; !stop;) {
    EnsurePreforked();
    ServeStorage();
    Sleep();
    stop = ReadSignals(signals_.get());
    pid_t accepted = 0;
    while (read(accepted_read_.get(), &accepted, sizeof accepted) ==
           sizeof accepted) {
      if (accepted == storage_preforked_) storage_preforked_ = -1;
      if (accepted != preforked_) continue;
      preforked_ = -1;
      preload_slurm_ = true;
      // That request has priority, unless the next one waits already.
      fork_backoff_until_ = absl::Now() + kForkBackoff;
    }
    Reap();
  }
  Drain();
  return absl::OkStatus();
}

void PrivilegedServer::EnsurePreforked() {
  if (!MayFork() || absl::Now() < next_fork_at_) return;
  if (absl::Now() < fork_backoff_until_ && !IsReadable(socket_.get())) return;
  preforked_ = Fork(socket_.get(), false);
  if (preforked_ > 0) children_.insert(preforked_);
}

void PrivilegedServer::ServeStorage() {
  if (!MayForkForStorage() || !IsReadable(storage_socket_.get())) return;
  storage_preforked_ = Fork(storage_socket_.get(), true);
  if (storage_preforked_ > 0) storage_children_.insert(storage_preforked_);
}

pid_t PrivilegedServer::Fork(int socket, bool is_storage) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    signals_.reset();
    accepted_read_.reset();
    // The child must not have the other socket.
    (is_storage ? socket_ : storage_socket_).reset();
    RunPreforked({.config = parts_.config,
                  .filters = parts_.filters,
                  .limits = parts_.limits,
                  .peer_uid = parts_.peer_uid,
                  .socket = socket,
                  .accepted_pipe = accepted_write_.get(),
                  .parent = parent,
                  .preload_slurm = preload_slurm_,
                  .is_storage = is_storage});
  }
  if (child < 0) {
    LogError("fork failed", {{"errno", errno}});
    next_fork_at_ = absl::Now() + kForkRetryDelay;
  }
  return child;
}

bool PrivilegedServer::MayFork() const {
  return preforked_ < 0 &&
         children_.size() < static_cast<size_t>(parts_.config->max_operations);
}

bool PrivilegedServer::MayForkForStorage() const {
  return storage_preforked_ < 0 &&
         storage_children_.size() < kMaxStorageProcesses &&
         absl::Now() >= next_fork_at_;
}

void PrivilegedServer::Sleep() const {
  const int storage = MayForkForStorage() ? storage_socket_.get() : -1;
  pollfd ready[4] = {{signals_.get(), POLLIN, 0},
                     {accepted_read_.get(), POLLIN, 0},
                     {storage, POLLIN, 0},
                     {socket_.get(), POLLIN, 0}};
  if (const absl::Time now = absl::Now(); now < next_fork_at_) {
    poll(ready, 3, PollTimeout(next_fork_at_ - now));
  } else if (!MayFork()) {
    poll(ready, 3, -1);
  } else if (now < fork_backoff_until_) {
    poll(ready, 4, PollTimeout(fork_backoff_until_ - now));
  }
}

void PrivilegedServer::Reap() {
  int status = 0;
  for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    children_.erase(child);
    storage_children_.erase(child);
    const bool was_preforked = child == preforked_;
    if (was_preforked) preforked_ = -1;
    const bool was_storage = child == storage_preforked_;
    if (was_storage) storage_preforked_ = -1;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
                              WEXITSTATUS(status) == kSlurmFilesChanged)) {
      continue;
    }
    if (was_preforked) preload_slurm_ = false;
    if (was_preforked || was_storage)
      next_fork_at_ = absl::Now() + kForkRetryDelay;
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

void PrivilegedServer::Drain() {
  socket_.reset();
  storage_socket_.reset();
  // Processes that have a connection block SIGTERM.
  for (const pid_t process : {preforked_, storage_preforked_}) {
    if (process > 0) kill(process, SIGTERM);
  }
  const absl::Time deadline =
      absl::Now() + parts_.config->operation_timeout + kDrainGrace;
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

void WarmUp(const ImpersonatorConfig& config) {
  // protobuf would log invalid bytes on its own.
  google::protobuf::SetLogHandler(nullptr);
  // A user that does not exist, so that every source of nsswitch.conf is
  // loaded.
  LookUpAccount("carme-nobody", config.policy.allowed_group).IgnoreError();
  privileged::v1::Request request;
  request.mutable_submit()->set_name("x");
  ParseRequest(request.SerializeAsString()).IgnoreError();
  MakeResponse(privileged::v1::OUTCOME_OK, "").SerializeAsString();
}

}  // namespace carme::impersonator
