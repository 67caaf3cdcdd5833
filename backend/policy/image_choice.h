// Chooses what a job runs in: its app, and its image or environment. Pure
// functions.
#ifndef CARME_BACKEND_POLICY_IMAGE_CHOICE_H_
#define CARME_BACKEND_POLICY_IMAGE_CHOICE_H_

#include <vector>

#include "backend/policy/policy.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// Fills in a missing app and image, and returns every violation. `image` is set
// if the image is known and further checks of it make sense. `job_template` may
// be null. REQUIRES: the spec neither adds nodes to a job nor builds an image.
std::vector<Violation> ChooseWhatRuns(const PolicyInput& asked,
                                      const JobTemplate* job_template,
                                      JobSpec* spec, const Image** image);

// Whether the user may use another user's image on that many nodes.
std::vector<Violation> CheckSharing(const Image& image, Uid user,
                                    const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_IMAGE_CHOICE_H_
