#include "backend/privileged/impersonator/server/prefork.h"

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/time/time.h"
#include "backend/privileged/impersonator/authz/slurm_files.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/impersonator/server/executor.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/privsep/prefault.h"
#include "backend/privileged/server/request_process.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/log.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kPreloadDelay = absl::Milliseconds(20);
constexpr unsigned kMaxPreload_s = 5;

// Lets libslurm read its configuration, unless a connection arrives first: then
// the load would slow down the previous request, which is still being served.
// Forks the executor afterwards.
//
// After a process that died while it waited, the next one does not preload, so
// that clients get a response if libslurm does not work.
absl::StatusOr<Child> Prepare(const ForkedProcess& process,
                              const PreforkOptions& options) {
  const std::string& conf = options.config->slurm_conf;
  const bool ready = !process.after_failure &&
                     !AwaitConnection(process.socket, kPreloadDelay) &&
                     CheckRootMayRead(conf).ok();
  if (ready) {
    alarm(kMaxPreload_s);
    InitSlurm(conf);
    alarm(0);
  }
  return StartExecutor(*options.config, *options.filters, ready);
}

}  // namespace

void RunPreforked(const ForkedProcess& process, const PreforkOptions& options) {
  // Otherwise this process would keep the socket of a new impersonator busy.
  DieWithParent(process.server);
  const std::string& conf = options.config->slurm_conf;
  const SlurmFiles slurm_files(conf);
  const uint64_t fingerprint = slurm_files.Fingerprint();
  absl::StatusOr<Child> executor = Prepare(process, options);
  PrefaultMemory();
  // From here on it does not fork. It has read nothing from outside yet.
  if (const absl::Status filtered = options.filters->request.Install();
      !filtered.ok()) {
    LogError("cannot serve", {{"error", filtered.ToString()}});
    _exit(1);
  }
  const AcceptedConnection connection = AcceptConnection(
      process,
      {.peer_uid = options.peer_uid,
       // The next process reads the new files and accepts this connection.
       .is_outdated = [&] { return slurm_files.Fingerprint() != fingerprint; },
       .refusal = MakeResponse(privileged::v1::OUTCOME_REFUSED,
                               "this user is not served")
                      .SerializeAsString()});
  ServeConnection(connection.fd.get(), connection.peer,
                  options.config->operation_timeout, std::move(executor),
                  options.limits);
  _exit(0);
}

}  // namespace carme::impersonator
