// The templates that a user's job may use now, and the decision with them.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_
#define CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_

#include <string>
#include <vector>

#include "backend/jobs/model/job.h"
#include "backend/policy/policy.h"
#include "backend/policy/spec/job_template.h"
#include "backend/store/database.h"

namespace carme::backend {

// The templates of the project, or of users without one, with the number of the
// owner's active jobs for each, from the database. REQUIRES: in the body of a
// transaction or query.
TemplateOffer TemplatesIn(Database& db, const std::string& project,
                          const std::string& owner);

// The same outside of a transaction, counting the given jobs.
TemplateOffer TemplatesNow(Database* db, const std::string& project,
                           const std::vector<Job>& jobs);

// The policy's decision. A reservation that a template fills in must be
// available to the user, like a requested one.
Decision DecideFor(const std::string& username, PolicyInput input);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_TEMPLATE_OFFER_H_
