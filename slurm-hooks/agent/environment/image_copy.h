// Shared images: their way from the owner into the site's directory for shared
// images, and the check that every start makes of it.
//
//   DIRECTORY/incoming   1733   a job of the owner puts a copy there
//   DIRECTORY/store      0711   a job of the account copies it again
//
// Between the two is an account that no person has: what lies in `store` was
// written by its job, byte by byte the digest that was approved, and no user
// has had the file open for writing. Neither directory can be listed by others.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_COPY_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_COPY_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/agent/environment/image_build.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

// Each does what its task says (carme.v1.ImageTask), as the user this process
// is, and returns the file. They block, a second or more a GB.

// FAILED_PRECONDITION: no SIF; or another user than root and the one this
// process is owns or can write the file or a directory above it.
absl::StatusOr<ImageFileInfo> CheckSiteImage(const std::string& path);

// Copies the user's own file to the new file `plan.output`.
// FAILED_PRECONDITION: no regular file of the user's, or another digest.
absl::StatusOr<ImageFileInfo> StageImage(const ImageBuildPlan& plan);

// Copies `plan.path` into the store, removes it, and removes files older than a
// day at `now` that are not in `plan.keep`, of the store and of what was
// staged. A file that is in the store already is touched and checked.
// FAILED_PRECONDITION: another digest, or the store is not the user's alone.
absl::StatusOr<ImageFileInfo> StoreImage(const ImageBuildPlan& plan,
                                         absl::Time now);

// That the file at `path` and its directory belong to `uid`, that nobody else
// can write them, and nobody but root and `uid` the directories above: then the
// file stays what it is between its check and its use. FAILED_PRECONDITION, and
// the errors of stat(2).
absl::Status CheckStored(const std::string& path, uid_t uid);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_COPY_H_
