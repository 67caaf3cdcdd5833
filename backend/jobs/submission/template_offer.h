// By what templates a user's job may go now, and the decision by them.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_
#define CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_

#include <string>
#include <vector>

#include "backend/jobs/model/job.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/policy.h"
#include "backend/store/database.h"

namespace carme::backend {

// Of this project, or for those without one, with how many of the owner's jobs
// that have not ended go by each, as the tables have it. REQUIRES: in the body
// of a transaction or query.
TemplateOffer TemplatesIn(Database& db, const std::string& project,
                          const std::string& owner);

// The same outside of any, with the jobs that are given.
TemplateOffer TemplatesNow(Database* db, const std::string& project,
                           const std::vector<Job>& jobs);

// What the policy says. A reservation that a template fills in is held against
// what this user may use as one that was asked for is.
Decision DecideFor(const std::string& username, PolicyInput input);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_
