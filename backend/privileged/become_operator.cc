#include "backend/privileged/become_operator.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/privileged/slurm_files.h"
#include "backend/slurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

absl::Status Refuse(absl::string_view why) {
  return absl::PermissionDeniedError(
      absl::StrCat("act as Slurm's own user: ", why));
}

}  // namespace

bool OffersOperatorActs(const ImpersonatorConfig& config) {
  return config.reserving.IsOffered() || config.extending.IsOffered();
}

absl::StatusOr<Account> LookUpOperator(const ImpersonatorConfig& config,
                                       bool slurm_is_ready) {
  if (!OffersOperatorActs(config)) {
    return Refuse("this site's configuration offers none of these acts");
  }
  // Also where libslurm has read it: what is asked here is who could write it.
  if (const absl::Status safe = CheckRootMayRead(config.slurm_conf);
      !safe.ok()) {
    return Refuse(safe.message());
  }
  if (!slurm_is_ready) InitSlurm(config.slurm_conf);
  const std::optional<SlurmUserName> user = SlurmUserOfConf();
  if (!user.has_value()) return Refuse("this libslurm does not tell who it is");
  if (user->uid == 0) {
    return Refuse(
        "SlurmUser of slurm.conf is root: expected a user of its own");
  }
  ASSIGN_OR_RETURN(const ServiceUser found, LookUpService(user->name));
  if (found.uid != user->uid || found.gid == 0) {
    return Refuse(absl::StrCat("SlurmUser \"", user->name, "\" has uid ",
                               found.uid, " and gid ", found.gid,
                               ": expected uid ", user->uid,
                               " and a group that is not root's"));
  }
  return Account{.name = user->name,
                 .uid = found.uid,
                 .gid = found.gid,
                 .home = "/",
                 .groups = {found.gid}};
}

}  // namespace carme::impersonator
