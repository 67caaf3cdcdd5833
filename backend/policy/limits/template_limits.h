// What a template allows and sets for a job. Pure functions.
#ifndef CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_
#define CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_

#include <string>
#include <vector>

#include "backend/policy/cluster/capacity.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// The source of its limits: "template Courses".
DisplayText SourceOf(const JobTemplate& job_template);

// Chooses the template: the one that the spec names, or the first that the spec
// fits, or the first. Null: none applies or none is allowed. Returns every
// violation. `nodes_joined`: the nodes of the job that it joins.
std::vector<Violation> ChooseTemplate(const TemplateOffer& offer,
                                      const JobSpec& spec,
                                      const std::string& environment_image,
                                      int nodes_joined,
                                      const TemplateChoice** choice);

// Fills in a missing partition, GPU type, QOS and reservation.
void ApplyDefaults(const JobTemplate& job_template, JobSpec* spec);

// Limits the default share of a node to that of the template.
void NarrowShare(const JobTemplate& job_template, const JobSpec& spec,
                 Share* share);

// The violations of the template; fields that are left open comply. Images are
// not checked.
std::vector<Violation> CheckTemplate(const TemplateChoice& choice,
                                     const JobSpec& spec, int nodes_joined);

bool AllowsImage(const JobTemplate& job_template, const std::string& image);

// An environment with an unknown image does not comply.
std::vector<Violation> CheckEnvironmentsImage(const JobTemplate& job_template,
                                              const JobSpec& spec,
                                              const std::string& image);

// Whether the text is a valid QOS name.
std::vector<Violation> CheckQos(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_
