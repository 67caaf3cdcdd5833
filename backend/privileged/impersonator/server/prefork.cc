#include "backend/privileged/impersonator/server/prefork.h"

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
#include "backend/privileged/impersonator/authz/slurm_files.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/impersonator/server/connection.h"
#include "backend/privileged/impersonator/server/executor.h"
#include "backend/privileged/privsep/prefault.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/storage/storage_executor.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/log.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kPreloadDelay = absl::Milliseconds(20);
constexpr unsigned kMaxPreload_s = 5;
constexpr absl::Duration kAcceptRetryDelay = absl::Milliseconds(50);

// False: no connection within `timeout`.
bool AwaitConnection(int socket, absl::Duration timeout) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  sigdelset(&mask, SIGTERM);
  pollfd ready{socket, POLLIN, 0};
  const timespec time = absl::ToTimespec(timeout);
  return ppoll(&ready, 1, timeout == absl::InfiniteDuration() ? nullptr : &time,
               &mask) > 0;
}

// Lets libslurm read its configuration, unless a connection arrives first: then
// the load would slow down the previous request, which is still being served.
// Forks the executor afterwards.
absl::StatusOr<Child> Prepare(const PreforkOptions& options) {
  if (options.is_storage)
    return StartStorageExecutor(*options.config, *options.filters);
  const std::string& conf = options.config->slurm_conf;
  const bool ready = options.preload_slurm &&
                     !AwaitConnection(options.socket, kPreloadDelay) &&
                     CheckRootMayRead(conf).ok();
  if (ready) {
    alarm(kMaxPreload_s);
    InitSlurm(conf);
    alarm(0);
  }
  return StartExecutor(*options.config, *options.filters, ready);
}

std::optional<Peer> PeerOf(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return std::nullopt;
  }
  return Peer{.pid = credentials.pid, .uid = credentials.uid};
}

void RejectPeer(int fd, const std::optional<Peer>& peer, uid_t expected) {
  const int64_t found = peer.has_value() ? int64_t{peer->uid} : -1;
  LogWarning("connection refused",
             {{"peer_uid", found}, {"expected_uid", expected}});
  const auto refusal =
      MakeResponse(privileged::v1::OUTCOME_REFUSED, "this user is not served");
  WriteFrame(fd, refusal.SerializeAsString()).IgnoreError();
}

}  // namespace

void RunPreforked(const PreforkOptions& options) {
  // Otherwise this process would keep the socket of a new impersonator busy.
  DieWithParent(options.parent);
  const std::string& conf = options.config->slurm_conf;
  const SlurmFiles slurm_files(conf);
  const uint64_t fingerprint = slurm_files.Fingerprint();
  absl::StatusOr<Child> executor = Prepare(options);
  PrefaultMemory();
  // From here on it does not fork. It has read nothing from outside yet.
  if (const absl::Status filtered = options.filters->request.Install();
      !filtered.ok()) {
    LogError("cannot serve", {{"error", filtered.ToString()}});
    _exit(1);
  }
  while (true) {
    AwaitConnection(options.socket, absl::InfiniteDuration());
    // The next process reads the new files and accepts this connection.
    if (slurm_files.Fingerprint() != fingerprint) _exit(kSlurmFilesChanged);
    const UniqueFd fd(accept4(options.socket, nullptr, nullptr,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) {
      // The socket stays readable if descriptors or memory are exhausted.
      absl::SleepFor(kAcceptRetryDelay);
      continue;
    }
    const std::optional<Peer> peer = PeerOf(fd.get());
    if (!peer.has_value() || peer->uid != options.peer_uid) {
      RejectPeer(fd.get(), peer, options.peer_uid);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, 0);
    const pid_t self = getpid();
    if (write(options.accepted_pipe, &self, sizeof self) != sizeof self)
      _exit(1);
    close(options.socket);
    close(options.accepted_pipe);
    ServeConnection(fd.get(), *peer, options.is_storage,
                    options.is_storage ? StorageTimeout(*options.config)
                                       : options.config->operation_timeout,
                    std::move(executor), options.limits);
    _exit(0);
  }
}

}  // namespace carme::impersonator
