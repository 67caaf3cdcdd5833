// Whether the jobs that a user's start form proposes could start.
#ifndef CARME_BACKEND_RPC_START_FORM_START_CHECKS_H_
#define CARME_BACKEND_RPC_START_FORM_START_CHECKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "backend/identity/session.h"
#include "backend/jobs/submission/submission_policy.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/violation.h"
#include "backend/projects/project_view.h"
#include "backend/templates/template_record.h"

namespace carme::v1 {
class GetClusterResponse;
}  // namespace carme::v1

namespace carme::backend {

// What the form proposes whatever the project and the template.
struct StartDefaults {
  std::string app{};  // an id
  bool has_gpus = false;
};
StartDefaults StartDefaultsOf(const v1::GetClusterResponse& cluster);

// The choices of one job: a project or none, and a template or none.
struct StartChoice {
  std::string project{};       // an id; empty: none
  std::string job_template{};  // an id; empty: the first that fits, if any
  JobSpec spec{};              // that the form proposes for these
};

struct StartChoices {
  std::vector<StartChoice> choices{};
  bool truncated = false;  // there are more than `max`
};

// The jobs that the form proposes: for a job without a project, then for each
// project of which the user is a member, first without a template, then for
// each template there. In a project in which no job may start only the first.
// `templates`: of Templates::Of(). Pure.
StartChoices ProposedStarts(const std::vector<ProjectView>& projects,
                            const std::vector<TemplateRecord>& templates,
                            const StartDefaults& defaults, size_t max);

struct StartResult {
  StartChoice choice{};
  JobSpec spec{};                       // with defaults filled in
  std::vector<Violation> violations{};  // empty: it could start
};

// The decisions that PreviewJob returns to the user. Submits nothing. Queries
// Slurm at most once, if a refusal may be outdated. May block for the
// directory.
std::vector<StartResult> CheckStarts(const Session& user,
                                     const std::vector<StartChoice>& choices,
                                     SubmissionPolicy* policy);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_START_FORM_START_CHECKS_H_
