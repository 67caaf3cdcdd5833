// What a job runs in: its app, and its image or environment. Pure functions.
#ifndef CARME_BACKEND_POLICY_IMAGE_CHOICE_H_
#define CARME_BACKEND_POLICY_IMAGE_CHOICE_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/policy.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// Fills in app and image where the spec says nothing, and gives every reason
// against them. `image` becomes what is known of it, if anything is and what
// else there is against it matters. `job_template` may be null. REQUIRES: a job
// that joins no other and makes no image.
std::vector<Violation> ChooseWhatRuns(const PolicyInput& asked,
                                      const JobTemplate* job_template,
                                      JobSpec* spec, const Image** image);

// Whether a user may have another's image on that many nodes.
std::vector<Violation> CheckSharing(const Image& image, Uid user,
                                    const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_IMAGE_CHOICE_H_
