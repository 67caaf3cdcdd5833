#include "backend/privileged/server.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/outcome.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(10);

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

std::optional<Peer> PeerOf(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return std::nullopt;
  }
  return Peer{.pid = credentials.pid, .uid = credentials.uid};
}

}  // namespace

PrivilegedServer::PrivilegedServer(const ImpersonatorConfig& config,
                                   uid_t peer_uid, UniqueFd socket)
    : config_(config), peer_uid_(peer_uid), socket_(std::move(socket)) {}

absl::Status PrivilegedServer::Run() {
  signals_ = WatchSignals();
  if (!signals_.valid()) return ErrnoError(errno, "signalfd");
  while (true) {
    const bool may_accept =
        children_.size() < static_cast<size_t>(config_.max_acts);
    pollfd ready[2] = {{signals_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
    if (poll(ready, may_accept ? 2 : 1, -1) < 0 && errno != EINTR) {
      return ErrnoError(errno, "poll");
    }
    if (ready[0].revents != 0 && TakeSignals(signals_.get())) break;
    Reap();
    if (may_accept && ready[1].revents != 0) Accept();
  }
  Drain();
  return absl::OkStatus();
}

void PrivilegedServer::Accept() {
  const UniqueFd fd(
      accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid()) return;
  const std::optional<Peer> peer = PeerOf(fd.get());
  if (!peer.has_value() || peer->uid != peer_uid_) {
    LogWarning("connection refused",
               {{"peer_uid", peer.has_value() ? static_cast<int64_t>(peer->uid)
                                              : int64_t{-1}},
                {"expected_uid", peer_uid_}});
    const auto refusal = Outcome(privileged::v1::OUTCOME_REFUSED,
                                 "this user is not served here");
    WriteFrame(fd.get(), refusal.SerializeAsString()).IgnoreError();
    return;
  }
  const pid_t child = fork();
  if (child < 0) {
    LogError("fork failed", {{"errno", errno}});
    return;
  }
  if (child > 0) {
    children_.insert(child);
    return;
  }
  socket_.reset();
  signals_.reset();
  ServeConnection(fd.get(), *peer, config_);
  _exit(0);
}

void PrivilegedServer::Reap() {
  int status = 0;
  for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    children_.erase(child);
    if (WIFSIGNALED(status)) {
      LogError("request's process was killed",
               {{"pid", child}, {"signal", WTERMSIG(status)}});
    }
  }
}

void PrivilegedServer::Drain() {
  socket_.reset();
  const absl::Time deadline = absl::Now() + config_.act_timeout + kDrainGrace;
  while (!children_.empty() && absl::Now() < deadline) {
    pollfd ready{signals_.get(), POLLIN, 0};
    poll(&ready, 1, 1000);
    TakeSignals(signals_.get());
    Reap();
  }
}

}  // namespace carme
