// Submits the jobs that build users' images.
#ifndef CARME_BACKEND_JOBS_IMAGE_BUILDS_H_
#define CARME_BACKEND_JOBS_IMAGE_BUILDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"

namespace carme::backend {

// Submits the job of `owner` that builds the image `id`, which was added to the
// catalogue before. If the job is refused, the image is removed. `event` is the
// audit event of the submission. Errors of Jobs::Submit and the catalogue.
absl::StatusOr<ImageRecord> SubmitImageBuild(ImageCatalogue* images, Jobs* jobs,
                                             const Session& owner,
                                             const std::string& id,
                                             const std::string& partition,
                                             const AuditEvent& event);

// Fails the images whose job no longer runs.
void FailOrphanedImages(ImageCatalogue* images, Jobs* jobs);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_IMAGE_BUILDS_H_
