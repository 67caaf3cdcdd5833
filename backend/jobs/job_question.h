// What those who ask the policy about a job have in common.
#ifndef CARME_BACKEND_JOBS_JOB_QUESTION_H_
#define CARME_BACKEND_JOBS_JOB_QUESTION_H_

#include <string>

#include "absl/status/status.h"
#include "backend/identity/session.h"
#include "backend/jobs/job.h"
#include "backend/policy/policy.h"
#include "backend/quotas/quotas.h"

namespace carme::backend {

inline bool Owns(const Session& caller, const Job& job) {
  return job.owner == caller.username && job.owner_uid == caller.uid;
}

// A companion is in the project of the job that it joins.
inline const std::string& ProjectIn(const Question& question) {
  return question.joined ? question.joined->spec.project
                         : question.spec.project;
}

// What a job is held against could not be told: it is refused. The database's
// own words are for the log.
Violation LimitsUnknown(const absl::Status& limits, const Quotas::Asker& asker);

// What is said of a job in a project where there are none.
absl::Status NoProjects();

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_JOB_QUESTION_H_
