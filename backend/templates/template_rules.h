// What may stand in a template: a pure function.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_

#include "absl/status/status.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

// INVALID_ARGUMENT: the first thing that is wrong. Whether Slurm has such a
// partition, account or QOS is not asked: that comes and goes.
absl::Status CheckTemplateSettings(const JobTemplate& settings);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_RULES_H_
