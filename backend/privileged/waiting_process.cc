#include "backend/privileged/waiting_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/privileged/actor.h"
#include "backend/privileged/connection.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/own_pages.h"
#include "backend/privileged/slurm_files.h"
#include "backend/privileged/storage_actor.h"
#include "backend/slurm/libslurm.h"
#include "common/log.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kQuietTime = absl::Milliseconds(20);
constexpr unsigned kMostPrepare_s = 5;
constexpr absl::Duration kAfterNoConnection = absl::Milliseconds(50);

// False: nobody came within `timeout`.
bool AwaitConnection(int socket, absl::Duration timeout) {
  sigset_t during;
  sigprocmask(SIG_BLOCK, nullptr, &during);
  sigdelset(&during, SIGTERM);
  pollfd ready{socket, POLLIN, 0};
  const timespec time = absl::ToTimespec(timeout);
  return ppoll(&ready, 1, timeout == absl::InfiniteDuration() ? nullptr : &time,
               &during) > 0;
}

// Lets libslurm read its configuration, unless somebody comes first: then it
// would be in the way of the request before, which is being served just now.
// The actor to be is forked afterwards.
absl::StatusOr<Child> GetReady(const WaitingParts& parts) {
  if (parts.of_storage) return StartStorageActor(*parts.config, *parts.filters);
  const std::string& conf = parts.config->slurm_conf;
  const bool ready = parts.prepare &&
                     !AwaitConnection(parts.socket, kQuietTime) &&
                     CheckRootMayRead(conf).ok();
  if (ready) {
    alarm(kMostPrepare_s);
    InitSlurm(conf);
    alarm(0);
  }
  return StartActor(*parts.config, *parts.filters, ready);
}

std::optional<Peer> PeerOf(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return std::nullopt;
  }
  return Peer{.pid = credentials.pid, .uid = credentials.uid};
}

void TurnAway(int fd, const std::optional<Peer>& peer, uid_t expected) {
  const int64_t found = peer.has_value() ? int64_t{peer->uid} : -1;
  LogWarning("connection refused",
             {{"peer_uid", found}, {"expected_uid", expected}});
  const auto refusal =
      Outcome(privileged::v1::OUTCOME_REFUSED, "this user is not served here");
  WriteFrame(fd, refusal.SerializeAsString()).IgnoreError();
}

}  // namespace

void WaitAndServe(const WaitingParts& parts) {
  // It would keep the socket from a new impersonator.
  DieWith(parts.parent);
  const std::string& conf = parts.config->slurm_conf;
  const SlurmFiles slurm_files(conf);
  const uint64_t fingerprint = slurm_files.Fingerprint();
  absl::StatusOr<Child> actor = GetReady(parts);
  TakeOwnPages();
  // It forks no more, and has read nothing that comes from outside.
  if (const absl::Status filtered = parts.filters->request.Install();
      !filtered.ok()) {
    LogError("nobody is served", {{"error", filtered.ToString()}});
    _exit(1);
  }
  while (true) {
    AwaitConnection(parts.socket, absl::InfiniteDuration());
    // Another one, that reads the new files, takes this connection.
    if (slurm_files.Fingerprint() != fingerprint) _exit(kSlurmFilesChanged);
    const UniqueFd fd(
        accept4(parts.socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) {
      // Where descriptors or memory are short it stays readable.
      absl::SleepFor(kAfterNoConnection);
      continue;
    }
    const std::optional<Peer> peer = PeerOf(fd.get());
    if (!peer.has_value() || peer->uid != parts.peer_uid) {
      TurnAway(fd.get(), peer, parts.peer_uid);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, 0);
    const pid_t self = getpid();
    if (write(parts.taken, &self, sizeof self) != sizeof self) _exit(1);
    close(parts.socket);
    close(parts.taken);
    ServeConnection(fd.get(), *peer, parts.of_storage,
                    parts.of_storage ? StorageActTimeout(*parts.config)
                                     : parts.config->act_timeout,
                    std::move(actor), parts.limits);
    _exit(0);
  }
}

}  // namespace carme::impersonator
