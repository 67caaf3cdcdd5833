// The fixed parts of a job: nothing in here comes from a request.
#ifndef CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_
#define CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_

#include <string>
#include <vector>

#include "backend/privileged/account.h"
#include "backend/privileged/config.h"

namespace carme {

// The same for every job: becomes the agent.
std::string JobScript(const ImpersonatorConfig& config);

// All that the job's environment has beside Slurm's own variables.
std::vector<std::string> JobEnvironment(const Account& account);

// What the name of the job's log is for Slurm, which expands "%": in the
// directory kLogDirectory of the user's home.
inline constexpr char kLogDirectory[] = ".carme";
// The file's name: the job's own, or that of one of its apps.
std::string JobLogName(const std::string& job_id, const std::string& app);
std::string JobLogPattern(const Account& account, const std::string& job_id);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_
