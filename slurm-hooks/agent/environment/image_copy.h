// Shared images: how they get from the owner into the site's directory for
// shared images, and the check at each start.
//
//   DIRECTORY/incoming   1733   a job of the owner writes a copy there
//   DIRECTORY/store      0711   a job of the service account copies it again
//
// The service account belongs to no person: files in `store` were written by
// its job, have the approved digest, and were never open for writing by a user.
// Neither directory can be listed by others.
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

// Each function performs one carme.v1.ImageTask as the user of this process,
// and returns the file. They block, a second or more per GB.

// FAILED_PRECONDITION: not a SIF, or a user other than root and this one owns
// or can write the file or a directory above it.
absl::StatusOr<ImageFileInfo> CheckSiteImage(const std::string& path);

// Copies the user's own file to the new file `plan.output`.
// FAILED_PRECONDITION: not a regular file of the user, or another digest.
absl::StatusOr<ImageFileInfo> StageImage(const ImageBuildPlan& plan);

// Copies `plan.path` into the store and removes it. Also removes files of the
// store and of the staging directory that are older than a day at `now` and not
// in `plan.keep`. A file that is already in the store is touched and verified.
// FAILED_PRECONDITION: another digest, or others can write the store.
absl::StatusOr<ImageFileInfo> StoreImage(const ImageBuildPlan& plan,
                                         absl::Time now);

// Checks that the file at `path` and its directory belong to `uid` and only
// `uid` can write them, and that only root and `uid` can write the directories
// above: then the file cannot change between check and use. FAILED_PRECONDITION
// and errors of stat(2).
absl::Status CheckStored(const std::string& path, uid_t uid);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_COPY_H_
