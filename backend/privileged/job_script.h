// The fixed parts of a job: of a request nothing but the job's id is in here.
#ifndef CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_
#define CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/privileged/account.h"
#include "backend/privileged/config.h"

namespace carme::impersonator {

// Becomes the agent. The id of the job is in a comment, by which own_job.h
// recognises the job later. REQUIRES: IsJobId(job_id).
std::string JobScript(const ImpersonatorConfig& config,
                      const std::string& job_id);
// The id in a script of JobScript(); empty: there is none.
std::string_view JobIdInScript(std::string_view script);

// All that the job's environment has beside Slurm's own variables.
std::vector<std::string> JobEnvironment(const Account& account);

// How long before its walltime's end a job of so many minutes is told of it
// (SIGUSR1 to its agent, by Slurm), so that it can still copy its results: a
// tenth, at most ten minutes; 0: not at all, as of those shorter than that.
uint16_t EndNoticeSeconds(int walltime_min);

// What the name of the job's log is for Slurm, which expands "%": in the
// directory kLogDirectory of the user's home.
inline constexpr char kLogDirectory[] = ".carme";
// The file's name: the job's own, that of one of its apps, or that of one of an
// array's tasks.
std::string JobLogName(const std::string& job_id, const std::string& app,
                       std::optional<uint32_t> task = {});
// Of an array: a name for each task.
std::string JobLogPattern(const Account& account, const std::string& job_id,
                          bool is_array = false);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_JOB_SCRIPT_H_
