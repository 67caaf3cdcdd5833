// The fixed parts of a job. Of a request they contain only the ids of the job
// and of the request.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_JOB_SCRIPT_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_JOB_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/privsep/account.h"

namespace carme::impersonator {

// Executes the agent, which logs the id of the request in each line. A comment
// line contains the job id, by which own_job.h recognizes the job later.
// REQUIRES: IsJobId(job_id), kRequestIdRule.Allows(request_id).
std::string JobScript(const ImpersonatorConfig& config,
                      const std::string& job_id, const std::string& request_id);
// The id in a script of JobScript(); empty: there is none.
std::string_view JobIdInScript(std::string_view script);

// The job's environment, apart from Slurm's own variables.
std::vector<std::string> JobEnvironment(const Account& account);

// How long before the end of its walltime Slurm signals the job's agent
// (SIGUSR1), so that it can copy results: a tenth of the walltime, at most ten
// minutes; 0 (no signal) for walltimes of less than ten minutes.
uint16_t EndNoticeSeconds(int walltime_min);

// The directory of job logs in the user's home.
inline constexpr char kLogDirectory[] = ".carme";
// File name of the log of a job, of one of its apps, or of an array task.
std::string JobLogName(const std::string& job_id, const std::string& app,
                       std::optional<uint32_t> task = {});
// The path of the log for Slurm, which expands "%"; for an array a path for
// each task.
std::string JobLogPattern(const Account& account, const std::string& job_id,
                          bool is_array = false);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_JOB_SCRIPT_H_
