#include "backend/privileged/job_script.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace carme {

std::string JobScript(const ImpersonatorConfig& config) {
  return absl::StrCat("#!/bin/sh\nexec ", config.agent, " --config ",
                      config.agent_config, "\n");
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

std::string JobLogName(const std::string& job_id, const std::string& app) {
  return absl::StrCat(job_id, app.empty() ? "" : ".", app, ".log");
}

std::string JobLogPattern(const Account& account, const std::string& job_id) {
  return absl::StrCat(absl::StrReplaceAll(account.home, {{"%", "%%"}}), "/",
                      kLogDirectory, "/", JobLogName(job_id, ""));
}

}  // namespace carme
