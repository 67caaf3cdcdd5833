// carme-impersonator: runs Slurm operations as a user, for the backend. See
// README.md.
#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/authz/rate_limits.h"
#include "backend/privileged/impersonator/authz/user_lock.h"
#include "backend/privileged/impersonator/server/server.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/privsep/capabilities.h"
#include "backend/privileged/privsep/landlock.h"
#include "backend/privileged/privsep/listening_socket.h"
#include "backend/privileged/privsep/seccomp_filter.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/config/program.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

absl::StatusOr<UniqueFd> OpenSocket(const ImpersonatorConfig& config,
                                    const PeerUser& peer) {
  std::vector<UniqueFd> inherited = TakeListenFds();
  if (inherited.empty()) return ListenUnix(config.socket, peer.gid);
  if (inherited.size() == 1) return std::move(inherited[0]);
  return absl::InvalidArgumentError(
      absl::StrCat("LISTEN_FDS is ", inherited.size(), ": expected 1"));
}

absl::Status Serve(const ImpersonatorConfig& config) {
  if (geteuid() != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("started as uid ", geteuid(), ": expected root"));
  }
  ASSIGN_OR_RETURN(const PeerUser peer, LookUpPeer(config.peer_user));
  BlockStopSignals();
  ASSIGN_OR_RETURN(UniqueFd socket, OpenSocket(config, peer));
  ASSIGN_OR_RETURN(
      UniqueFd storage,
      ListenUnix(absl::StrCat(config.socket, kStorageSocketSuffix), peer.gid));
  ASSIGN_OR_RETURN(const SeccompFilters filters, MakeSeccompFilters());
  ASSIGN_OR_RETURN(const std::unique_ptr<RateLimits> limits,
                   RateLimits::Create(config.rate_limits));
  ASSIGN_OR_RETURN(const UserLock user_lock, UserLock::Create());
  RETURN_IF_ERROR(DropCapabilities());
  WarmUp(config);
  LogInfo("serving", {{"peer_user", config.peer_user},
                      {"min_uid", config.policy.min_uid},
                      {"allowed_group", config.policy.allowed_group},
                      {"ports_limited", SupportsPortLimits()}});
  PrivilegedServer server({.config = &config,
                           .filters = &filters,
                           .limits = {limits.get(), &user_lock,
                                      OperationsPerUser(config.max_operations)},
                           .peer_uid = peer.uid},
                          std::move(socket), std::move(storage));
  RETURN_IF_ERROR(server.Run());
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::impersonator

int main(int argc, char** argv) {
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/impersonator.toml",
                        "Runs Slurm operations as users, for carme-backend.");
  const absl::StatusOr<carme::impersonator::ImpersonatorConfig> config =
      carme::impersonator::LoadImpersonatorConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  const absl::Status served = carme::impersonator::Serve(*config);
  return served.ok() ? 0 : carme::FailStart(served);
}
