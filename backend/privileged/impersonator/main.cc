// carme-impersonator: runs Slurm operations as a user, for the backend. See
// README.md.
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/authz/rate_limits.h"
#include "backend/privileged/impersonator/authz/user_lock.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/impersonator/server/prefork.h"
#include "backend/privileged/impersonator/server/seccomp_filters.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/privsep/capabilities.h"
#include "backend/privileged/privsep/landlock.h"
#include "backend/privileged/privsep/listening_socket.h"
#include "backend/privileged/server/fork_server.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(10);

// Does once what every request process would otherwise repeat after its fork:
// loads the NSS modules, silences protobuf's log and builds protobuf's
// descriptors. Results are ignored. Blocks as long as NSS blocks; connections
// wait in the socket's queue.
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

absl::Status Serve(const ImpersonatorConfig& config) {
  if (geteuid() != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("started as uid ", geteuid(), ": expected root"));
  }
  ASSIGN_OR_RETURN(const PeerUser peer, LookUpPeer(config.peer_user));
  BlockStopSignals();
  ASSIGN_OR_RETURN(UniqueFd socket, InheritOrListen(config.socket, peer.gid));
  ASSIGN_OR_RETURN(const ImpersonatorFilters filters,
                   MakeImpersonatorFilters());
  ASSIGN_OR_RETURN(const std::unique_ptr<RateLimits> limits,
                   RateLimits::Create(config.rate_limits));
  ASSIGN_OR_RETURN(const UserLock user_lock, UserLock::Create());
  RETURN_IF_ERROR(DropCapabilities());
  WarmUp(config);
  LogInfo("serving", {{"peer_user", config.peer_user},
                      {"min_uid", config.policy.min_uid},
                      {"allowed_group", config.policy.allowed_group},
                      {"ports_limited", SupportsPortLimits()}});
  const PreforkOptions prefork{
      .config = &config,
      .filters = &filters,
      .limits = {limits.get(), &user_lock,
                 OperationsPerUser(config.max_operations)},
      .peer_uid = peer.uid};
  ForkServer server({.fork_time = ForkServer::ForkTime::kInAdvance,
                     .max_processes = config.max_operations,
                     .drain_timeout = config.operation_timeout + kDrainGrace,
                     .run_process =
                         [&](const ForkedProcess& process) {
                           RunPreforked(process, prefork);
                         }},
                    std::move(socket));
  RETURN_IF_ERROR(server.Run());
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::impersonator

int main(int argc, char** argv) {
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/impersonator.toml",
                        "Runs Slurm operations as users, for carme-backend.",
                        carme::LibslurmVersionText());
  const absl::StatusOr<carme::impersonator::ImpersonatorConfig> config =
      carme::impersonator::LoadImpersonatorConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  const absl::Status served = carme::impersonator::Serve(*config);
  return served.ok() ? 0 : carme::FailStart(served);
}
