#include "backend/privileged/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/waiting_process.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(10);
constexpr absl::Duration kCourtesy = absl::Milliseconds(20);
constexpr absl::Duration kForkAgainAfter = absl::Seconds(1);
constexpr size_t kMostForStorage = 4;

UniqueFd WatchSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// True when one of them says stop.
bool TakeSignals(int fd) {
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

int ToPollTime(absl::Duration time) {
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
  taken_read_.reset(ends[0]);
  taken_write_.reset(ends[1]);
  return absl::OkStatus();
}

absl::Status PrivilegedServer::Run() {
  RETURN_IF_ERROR(Open());
  for (bool stop = false; !stop;) {
    KeepOneWaiting();
    ServeStorage();
    Sleep();
    stop = TakeSignals(signals_.get());
    pid_t taken = 0;
    while (read(taken_read_.get(), &taken, sizeof taken) == sizeof taken) {
      if (taken == storage_waiting_) storage_waiting_ = -1;
      if (taken != waiting_) continue;
      waiting_ = -1;
      prepare_ = true;
      // That request comes first, unless the next one is there already.
      courtesy_until_ = absl::Now() + kCourtesy;
    }
    Reap();
  }
  Drain();
  return absl::OkStatus();
}

void PrivilegedServer::KeepOneWaiting() {
  if (!MayFork() || absl::Now() < not_before_) return;
  if (absl::Now() < courtesy_until_ && !IsReadable(socket_.get())) return;
  waiting_ = Fork(socket_.get(), false);
  if (waiting_ > 0) children_.insert(waiting_);
}

void PrivilegedServer::ServeStorage() {
  if (!MayForkForStorage() || !IsReadable(storage_socket_.get())) return;
  storage_waiting_ = Fork(storage_socket_.get(), true);
  if (storage_waiting_ > 0) storage_children_.insert(storage_waiting_);
}

pid_t PrivilegedServer::Fork(int socket, bool of_storage) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    signals_.reset();
    taken_read_.reset();
    // The other socket is not its business.
    (of_storage ? socket_ : storage_socket_).reset();
    WaitAndServe({.config = parts_.config,
                  .filters = parts_.filters,
                  .limits = parts_.limits,
                  .peer_uid = parts_.peer_uid,
                  .socket = socket,
                  .taken = taken_write_.get(),
                  .parent = parent,
                  .prepare = prepare_,
                  .of_storage = of_storage});
  }
  if (child < 0) {
    LogError("fork failed", {{"errno", errno}});
    not_before_ = absl::Now() + kForkAgainAfter;
  }
  return child;
}

bool PrivilegedServer::MayFork() const {
  return waiting_ < 0 &&
         children_.size() < static_cast<size_t>(parts_.config->max_acts);
}

bool PrivilegedServer::MayForkForStorage() const {
  return storage_waiting_ < 0 && storage_children_.size() < kMostForStorage &&
         absl::Now() >= not_before_;
}

void PrivilegedServer::Sleep() const {
  const int storage = MayForkForStorage() ? storage_socket_.get() : -1;
  pollfd ready[4] = {{signals_.get(), POLLIN, 0},
                     {taken_read_.get(), POLLIN, 0},
                     {storage, POLLIN, 0},
                     {socket_.get(), POLLIN, 0}};
  if (const absl::Time now = absl::Now(); now < not_before_) {
    poll(ready, 3, ToPollTime(not_before_ - now));
  } else if (!MayFork()) {
    poll(ready, 3, -1);
  } else if (now < courtesy_until_) {
    poll(ready, 4, ToPollTime(courtesy_until_ - now));
  }
}

void PrivilegedServer::Reap() {
  int status = 0;
  for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    children_.erase(child);
    storage_children_.erase(child);
    const bool waited = child == waiting_;
    if (waited) waiting_ = -1;
    const bool storage_waited = child == storage_waiting_;
    if (storage_waited) storage_waiting_ = -1;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
                              WEXITSTATUS(status) == kSlurmFilesChanged)) {
      continue;
    }
    if (waited) prepare_ = false;
    if (waited || storage_waited) not_before_ = absl::Now() + kForkAgainAfter;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
      LogAudit("act", {{"pid", child},
                       {"decision", "refuse"},
                       {"result", "failed"},
                       {"detail", "forbidden system call"}});
    }
    LogError("request's process died",
             {{"pid", child},
              {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
              {"code", WIFEXITED(status) ? WEXITSTATUS(status) : 0}});
  }
}

void PrivilegedServer::Drain() {
  socket_.reset();
  storage_socket_.reset();
  // Does nothing to one that has a connection already.
  for (const pid_t waits : {waiting_, storage_waiting_}) {
    if (waits > 0) kill(waits, SIGTERM);
  }
  const absl::Time deadline =
      absl::Now() + parts_.config->act_timeout + kDrainGrace;
  while (absl::Now() < deadline) {
    int status = 0;
    const pid_t child = waitpid(-1, &status, WNOHANG);
    if (child < 0) break;  // there is none left
    if (child > 0) continue;
    pollfd ready{signals_.get(), POLLIN, 0};
    poll(&ready, 1, 1000);
    TakeSignals(signals_.get());
  }
}

}  // namespace carme::impersonator
