#include "backend/privileged/impersonator/operations/slurm_user.h"

#include <optional>

#include "backend/privileged/impersonator/authz/slurm_files.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

absl::Status RefuseSlurmUser(absl::string_view reason) {
  return MakePlainError(operation_messages::kSlurmUserRefused,
                        {{"cause", reason}});
}

}  // namespace

bool OffersSlurmUserOperations(const ImpersonatorConfig& config) {
  return config.reservations.IsOffered() || config.maintenance.IsOffered() ||
         config.nodes.IsOffered() || config.extensions.IsOffered();
}

absl::StatusOr<Account> LookUpSlurmUser(const ImpersonatorConfig& config,
                                        bool slurm_is_ready) {
  if (!OffersSlurmUserOperations(config)) {
    return MakePlainError(operation_messages::kSlurmUserNotNeeded);
  }
  // Also if libslurm has read the file: this checks who can write it.
  if (const absl::Status safe = CheckRootMayRead(config.slurm_conf);
      !safe.ok()) {
    return RefuseSlurmUser(safe.message());
  }
  if (!slurm_is_ready) InitSlurm(config.slurm_conf);
  const std::optional<SlurmUserName> user = SlurmUserOfConf();
  if (!user.has_value())
    return MakePlainError(operation_messages::kSlurmUserUnknown);
  if (user->uid == 0) {
    return MakePlainError(operation_messages::kSlurmUserIsRoot);
  }
  ASSIGN_OR_RETURN(const ServiceUser found, LookUpService(user->name));
  if (found.uid != user->uid || found.gid == 0) {
    return MakePlainError(operation_messages::kSlurmUserIds,
                          {{"user", user->name},
                           {"uid", found.uid},
                           {"gid", found.gid},
                           {"expected", user->uid}});
  }
  return Account{.name = user->name,
                 .uid = found.uid,
                 .gid = found.gid,
                 .home = "/",
                 .groups = {found.gid}};
}

}  // namespace carme::impersonator
