#include "backend/privileged/impersonator/server/seccomp_filters.h"

#include <sys/syscall.h>

#include <utility>

#include "common/status.h"

namespace carme::impersonator {
namespace {

// libslurm opens files and sockets as NSS modules do, and later releases of it
// start threads. mkdirat is for the directory of job logs.
void AddExecutorRules(SeccompFilterBuilder* rules) {
  rules->AllowNameService().AllowThreads().Allow({SYS_mkdirat});
}

}  // namespace

absl::StatusOr<ImpersonatorFilters> MakeImpersonatorFilters() {
  ASSIGN_OR_RETURN(SeccompFilter request, SeccompFilter::ForRequest());
  SeccompFilterBuilder root_rules;
  AddExecutorRules(&root_rules);
  ASSIGN_OR_RETURN(SeccompFilter root_executor,
                   root_rules.AllowBecomeUser().Finish());
  SeccompFilterBuilder rules;
  AddExecutorRules(&rules);
  ASSIGN_OR_RETURN(SeccompFilter executor, rules.Finish());
  return ImpersonatorFilters{std::move(request), std::move(root_executor),
                             std::move(executor)};
}

}  // namespace carme::impersonator
