#include "backend/privileged/impersonator/operations/own_job.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/operations/job_script.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Response;

// Reveals nothing about the other job: it may be another user's.
Response AnotherJob(const slurm_job_info_t& job) {
  Response response =
      MakeResponse(OUTCOME_REFUSED,
                   absl::StrCat("slurm job ", job.job_id,
                                " is not this job: Slurm has reused the id"));
  response.set_slurm_errno(ESLURM_INVALID_JOB_ID);
  return response;
}

struct Script {
  std::string text;  // empty: no script
  int error = SLURM_SUCCESS;
};

Script LoadScript(uint32_t slurm_job_id) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (out == nullptr) return {.text = "", .error = errno};
  Script script;
  if (LoadSlurmScript(slurm_job_id, out) != SLURM_SUCCESS) {
    script.error = SlurmErrno();
  }
  fclose(out);
  if (script.error == SLURM_SUCCESS) script.text.assign(text, size);
  free(text);
  return script;
}

// Scripts of an earlier release.
bool IsScriptWithoutId(std::string_view script) {
  return script.starts_with("#!/bin/sh\nexec /") &&
         script.find(" --config /") != std::string_view::npos;
}

bool IsOwnedBy(const slurm_job_info_t& job, const Account& account) {
  return job.user_id == account.uid;
}

Response CheckScript(const slurm_job_info_t& job,
                     const std::string& carme_job_id) {
  const Script script = LoadScript(job.job_id);
  if (FailureOf(script.error) != SlurmFailure::kRefused &&
      script.error != SLURM_SUCCESS) {
    return SlurmErrorResponse(script.error);
  }
  const std::string_view comment = job.comment != nullptr ? job.comment : "";
  return IsCarmeJob(script.text, comment, carme_job_id)
             ? MakeResponse(OUTCOME_OK, "")
             : AnotherJob(job);
}

}  // namespace

bool IsCarmeJob(std::string_view script, std::string_view comment,
                const std::string& carme_job_id) {
  const std::string_view id = JobIdInScript(script);
  if (!id.empty()) return id == carme_job_id;
  return IsScriptWithoutId(script) &&
         comment == absl::StrCat("carme:", carme_job_id);
}

Response CheckOwnJob(const slurm_job_info_t& job,
                     const std::string& carme_job_id, const Account& account) {
  if (!IsOwnedBy(job, account)) return AnotherJob(job);
  return CheckScript(job, carme_job_id);
}

OwnJob FindOwnJob(uint32_t slurm_job_id, const std::string& carme_job_id,
                  const Account& account) {
  job_info_msg_t* jobs = nullptr;
  if (LoadSlurmJob(slurm_job_id, &jobs) != SLURM_SUCCESS) {
    const int error = SlurmErrno();
    if (!MeansJobIsOver(error)) return {false, SlurmErrorResponse(error)};
    return {true, MakeResponse(OUTCOME_OK, "job has ended")};
  }
  // All tasks of an array have the same script.
  for (uint32_t i = 0; i < jobs->record_count; ++i) {
    const slurm_job_info_t& job = jobs->job_array[i];
    if (!IsOwnedBy(job, account)) return {false, AnotherJob(job)};
    if (i > 0) continue;
    const Response owned = CheckScript(job, carme_job_id);
    if (owned.outcome() != OUTCOME_OK) return {false, owned};
  }
  return {false, MakeResponse(OUTCOME_OK, "")};
}

}  // namespace carme::impersonator
