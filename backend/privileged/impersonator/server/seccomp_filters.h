// Which system calls the impersonator's processes may make once they read
// untrusted bytes.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SECCOMP_FILTERS_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SECCOMP_FILTERS_H_

#include "absl/status/statusor.h"
#include "backend/privileged/privsep/seccomp_filter.h"

namespace carme::impersonator {

struct ImpersonatorFilters {
  SeccompFilter request;  // SeccompFilter::ForRequest()
  // For an executor that is still root and queries NSS: the calls of `executor`
  // and those that drop root.
  SeccompFilter root_executor;
  // For an executor that has become its user: what libslurm needs for its calls
  // over TCP and to munged. No new process, no program, no listening.
  SeccompFilter executor;
};
// Call it at start: it takes longer than an operation.
absl::StatusOr<ImpersonatorFilters> MakeImpersonatorFilters();

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_SECCOMP_FILTERS_H_
