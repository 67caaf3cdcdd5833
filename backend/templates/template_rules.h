// The validation of a template. A pure function.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_

#include "absl/status/status.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

// INVALID_ARGUMENT: the first problem. Whether Slurm has the partition, account
// and QOS is not checked, because that may change.
absl::Status CheckTemplateSettings(const JobTemplate& settings);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_
