#include "backend/privileged/server/request_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/log.h"

namespace carme {
namespace {

constexpr absl::Duration kReadTimeout = absl::Seconds(2);
constexpr absl::Duration kAcceptRetryDelay = absl::Milliseconds(50);

std::optional<Peer> PeerOf(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return std::nullopt;
  }
  return Peer{.pid = credentials.pid, .uid = credentials.uid};
}

void RejectPeer(int fd, const std::optional<Peer>& peer,
                const AcceptOptions& options) {
  const int64_t found = peer.has_value() ? int64_t{peer->uid} : -1;
  LogWarning("connection refused",
             {{"peer_uid", found}, {"expected_uid", options.peer_uid}});
  WriteFrame(fd, options.refusal).IgnoreError();
}

}  // namespace

bool AwaitConnection(int socket, absl::Duration timeout) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  sigdelset(&mask, SIGTERM);
  pollfd ready{socket, POLLIN, 0};
  const timespec time = absl::ToTimespec(timeout);
  return ppoll(&ready, 1, timeout == absl::InfiniteDuration() ? nullptr : &time,
               &mask) > 0;
}

AcceptedConnection AcceptConnection(const ForkedProcess& process,
                                    const AcceptOptions& options) {
  while (true) {
    AwaitConnection(process.socket, absl::InfiniteDuration());
    if (options.is_outdated && options.is_outdated()) _exit(kReplaceProcess);
    UniqueFd fd(accept4(process.socket, nullptr, nullptr,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) {
      // The socket stays readable if descriptors or memory are exhausted.
      absl::SleepFor(kAcceptRetryDelay);
      continue;
    }
    const std::optional<Peer> peer = PeerOf(fd.get());
    if (!peer.has_value() || peer->uid != options.peer_uid) {
      RejectPeer(fd.get(), peer, options);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, 0);
    const pid_t self = getpid();
    if (write(process.accepted_pipe, &self, sizeof self) != sizeof self)
      _exit(1);
    close(process.socket);
    close(process.accepted_pipe);
    return {.fd = std::move(fd), .peer = *peer};
  }
}

absl::StatusOr<std::string> ReadRequestFrame(int fd) {
  return ReadFrame(fd, absl::Now() + kReadTimeout);
}

void AuditRejected(const Peer& peer, const absl::Status& status) {
  LogAudit("operation", {{"peer_uid", peer.uid},
                         {"peer_pid", peer.pid},
                         {"decision", "refuse"},
                         {"result", "refused"},
                         {"error", status.message()}});
}

ChildFailure FailureOf(const ChildReport& report) {
  ChildFailure failure{
      .outcome = privileged::v1::OUTCOME_FAILED,
      .message = absl::StrCat(
          "the operation's process ", report.end,
          report.begun ? " after it had begun" : " before it began")};
  if (report.begun) {
    failure.outcome = privileged::v1::OUTCOME_UNKNOWN;
  } else if (report.end == "timed out") {
    failure.outcome = privileged::v1::OUTCOME_UNAVAILABLE;
  }
  return failure;
}

ChildFailure FailureOfLookUp(const ChildReport& report, const std::string& user,
                             absl::Duration timeout) {
  if (report.end != "timed out") return FailureOf(report);
  return {.outcome = privileged::v1::OUTCOME_UNAVAILABLE,
          .message = absl::StrCat("look up \"", user, "\": no answer within ",
                                  absl::FormatDuration(timeout))};
}

}  // namespace carme
