#include "backend/privileged/impersonator/operations/job_script.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ids.h"

namespace carme::impersonator {
namespace {

// Slurm checks twice a minute and signals up to a minute early: a shorter job
// could be signalled before its agent handles the signal.
constexpr int kMinEndNoticeWalltimeMin = 10;
constexpr int kMaxEndNoticeMin = 10;

constexpr char kJobLine[] = "# carme-job ";

}  // namespace

std::string JobScript(const ImpersonatorConfig& config,
                      const std::string& job_id,
                      const std::string& request_id) {
  return absl::StrCat("#!/bin/sh\n", kJobLine, job_id,
                      "\nexport CARME_REQUEST_ID=", request_id, "\nexec ",
                      config.agent, " --config ", config.agent_config, "\n");
}

std::string_view JobIdInScript(std::string_view script) {
  // A job_submit plugin of the site may insert lines before it.
  size_t begin = script.find(absl::StrCat("\n", kJobLine));
  if (begin == std::string_view::npos) return "";
  begin += 1 + sizeof kJobLine - 1;
  const std::string_view rest = script.substr(begin);
  const std::string_view id = rest.substr(0, rest.find('\n'));
  return IsJobId(id) ? id : std::string_view();
}

std::vector<std::string> JobEnvironment(const Account& account) {
  return {
      absl::StrCat("HOME=", account.home),
      absl::StrCat("USER=", account.name),
      absl::StrCat("LOGNAME=", account.name),
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "LANG=C.UTF-8",
  };
}

uint16_t EndNoticeSeconds(int walltime_min) {
  if (walltime_min < kMinEndNoticeWalltimeMin) return 0;
  // In minutes first: the seconds of a year-long walltime would overflow.
  return static_cast<uint16_t>(std::min(walltime_min, kMaxEndNoticeMin * 10) *
                               60 / 10);
}

std::string JobLogName(const std::string& job_id, const std::string& app,
                       std::optional<uint32_t> task) {
  if (task) return absl::StrCat(job_id, "_", *task, ".log");
  return absl::StrCat(job_id, app.empty() ? "" : ".", app, ".log");
}

std::string JobLogPattern(const Account& account, const std::string& job_id,
                          bool is_array) {
  return absl::StrCat(
      absl::StrReplaceAll(account.home, {{"%", "%%"}}), "/", kLogDirectory, "/",
      is_array ? absl::StrCat(job_id, "_%a.log") : JobLogName(job_id, ""));
}

}  // namespace carme::impersonator
