#include "backend/carmectl/doctor/cluster/test_job.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(200);

// Prints KEY=VALUE for each result. The job requests no GPU. The input is the
// user's name and a credential, because other users can read command lines.
constexpr char kScript[] =
    "grep -q /job_ /proc/self/cgroup && echo cgroup=yes || echo cgroup=no\n"
    "for device in /dev/nvidia[0-9]* /dev/kfd; do\n"
    "  if [ -e \"$device\" ] && (: < \"$device\") 2> /dev/null; then\n"
    "    echo \"open=$device\"\n"
    "  fi\n"
    "done\n"
    "echo \"job=$SLURM_JOB_ID\"\n"
    "read -r user\n"
    "echo \"uid=$(getent passwd \"$user\" | cut -d: -f 3)\"\n"
    "if read -r credential; then\n"
    "  output=$(printf '%s\\n' \"$credential\" | unmunge 2>&1) ||\n"
    "    echo \"refused=${output:-unmunge failed}\" | head -n 1\n"
    "  if own=$(munge -n -t 60 -u \"$(id -u)\" 2>&1); then\n"
    "    echo \"credential=$own\"\n"
    "  else\n"
    "    echo \"munge=${own:-munge failed}\" | head -n 1\n"
    "  fi\n"
    "fi\n"
    "echo \"time=$(date +%s)\"\n";

// Empty: this host has no MUNGE, which is a finding of another check.
std::string Credential(const Host& host) {
  const auto encoded = host.tools().Run(
      {.arguments = {"munge", "-n", "-t", "60", "-u", absl::StrCat(getuid())}});
  return encoded.ok() && encoded->ok() ? encoded->output : "";
}

// Why this host does not decode the credential; empty: it does.
std::string DecodeError(const Host& host, absl::string_view credential) {
  const auto decoded = host.tools().Run(
      {.arguments = {"unmunge"}, .input = absl::StrCat(credential, "\n")});
  if (!decoded.ok()) return std::string(decoded.status().message());
  if (decoded->ok()) return "";
  const std::string text = absl::StrCat(decoded->output, decoded->error);
  return text.empty() ? absl::StrCat("exit code ", decoded->exit_code)
                      : FirstLine(text);
}

// The value of a field of `scontrol show job`; empty: none.
std::string FieldOf(const std::string& text, absl::string_view name) {
  for (absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&word, name) && absl::ConsumePrefix(&word, "=")) {
      return std::string(word);
    }
  }
  return "";
}

std::string ShowJob(const Host& host, const std::string& job) {
  const auto shown = host.RunScontrol({"show", "job", job});
  return shown.ok() && shown->ok() ? shown->output : "";
}

// Until Slurm has completed the job, for at most max_hook_time.
absl::Duration WaitForEpilog(const Host& host, const std::string& job,
                             absl::Time ended) {
  const absl::Duration max = host.options().max_hook_time;
  absl::Duration waited;
  while (waited <= max) {
    const std::string state = FieldOf(ShowJob(host, job), "JobState");
    if (state != "RUNNING" && state != "COMPLETING") break;
    absl::SleepFor(std::min(kPollInterval, max));
    waited = absl::Now() - ended;
  }
  return waited;
}

absl::Duration PrologTime(const Host& host, const std::string& job,
                          absl::Time first_command) {
  absl::Time start;
  std::string error;
  if (!absl::ParseTime("%Y-%m-%d%ET%H:%M:%S",
                       FieldOf(ShowJob(host, job), "StartTime"), &start,
                       &error)) {
    return absl::ZeroDuration();
  }
  return std::max(first_command - start, absl::ZeroDuration());
}

}  // namespace

absl::StatusOr<TestJobReport> RunTestJob(const Host& host,
                                         const std::string& node) {
  TestJobReport report;
  const passwd* const entry = getpwuid(geteuid());
  if (entry != nullptr) report.user = entry->pw_name;
  const absl::Time begun = absl::Now();
  ASSIGN_OR_RETURN(
      const ToolResult ran,
      host.tools().Run(
          {.arguments = {"srun", "--quiet", "--immediate=30", "--nodes=1",
                         "--ntasks=1", "--time=1", "--mem=64M", "--chdir=/tmp",
                         "--job-name=carme-doctor",
                         absl::StrCat("--nodelist=", node), "/bin/sh", "-c",
                         kScript},
           .input = absl::StrCat(report.user, "\n", Credential(host))},
          absl::Minutes(2)));
  const absl::Time ended = absl::Now();
  if (!ran.ok()) {
    return MakePlainError(cluster_check_messages::kJobFailed,
                          {{"cause", FirstLine(ran.error)}});
  }
  std::string job;
  int64_t unix_time = 0;
  for (absl::string_view line : absl::StrSplit(ran.output, '\n')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const auto& [key, value] = field;
    if (key == "cgroup") report.in_control_group = value == "yes";
    if (key == "open") report.devices.emplace_back(value);
    if (key == "refused") report.node_refuses = std::string(value);
    if (key == "munge") report.host_refuses = std::string(value);
    if (key == "credential") report.host_refuses = DecodeError(host, value);
    if (key == "job") job = std::string(value);
    if (key == "uid") report.node_uid = std::string(value);
    if (key == "time" && !absl::SimpleAtoi(value, &unix_time)) unix_time = 0;
  }
  if (unix_time == 0 || job.empty()) return report;
  const absl::Time on_node = absl::FromUnixSeconds(unix_time);
  if (on_node > ended) report.clock_ahead = on_node - ended;
  if (on_node + absl::Seconds(1) < begun) report.clock_ahead = on_node - begun;
  report.prolog = PrologTime(host, job, on_node - report.clock_ahead);
  report.epilog = WaitForEpilog(host, job, ended);
  return report;
}

}  // namespace carme::carmectl
