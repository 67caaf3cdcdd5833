// What a template lets a job ask for, and what it decides for it: pure
// functions.
#ifndef CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_
#define CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_

#include <string>
#include <vector>

#include "backend/policy/cluster/capacity.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// Who set its limits, for a person: "template Courses".
std::string SourceOf(const JobTemplate& job_template);

// The template that the spec names, or the first that it fits as it stands, or
// the first; null where it goes by none, or by none that it may. Gives every
// reason against that. `nodes_joined` are of the job that it joins.
std::vector<Violation> ChooseTemplate(const TemplateOffer& offer,
                                      const JobSpec& spec,
                                      const std::string& environment_image,
                                      int nodes_joined,
                                      const TemplateChoice** choice);

// Fills in partition, GPU type, QOS and reservation where the spec says
// nothing.
void TakeDefaults(const JobTemplate& job_template, JobSpec* spec);

// The default share of a node, as far as the template lets it be had.
void NarrowShare(const JobTemplate& job_template, const JobSpec& spec,
                 Share* share);

// What the spec has against the template; fields that it leaves open are right.
// Images are not looked at.
std::vector<Violation> CheckTemplate(const TemplateChoice& choice,
                                     const JobSpec& spec, int nodes_joined);

bool AllowsImage(const JobTemplate& job_template, const std::string& image);

// An environment whose image is not known is none of the template's.
std::vector<Violation> CheckEnvironmentsImage(const JobTemplate& job_template,
                                              const JobSpec& spec,
                                              const std::string& image);

// Whether Slurm could know a QOS of this name.
std::vector<Violation> CheckQos(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_TEMPLATE_LIMITS_H_
