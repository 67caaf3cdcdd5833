// A job of the calling user that tries what Slurm's control groups must
// prevent.
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kJobNotRun{"confinement-job-not-run", Severity::kWarning,
                                 "Whether jobs are confined was not tried."};
constexpr FindingKind kJobUnconfined{
    "job-outside-control-group", Severity::kError,
    "Slurm cannot limit the job's processes, nor end all of them."};
constexpr FindingKind kJobOpensGpu{
    "job-opens-foreign-gpu", Severity::kError,
    "A job can read and disturb the computations of other jobs."};

// Prints a line for each result. The job requests no GPU.
constexpr char kJobScript[] =
    "grep -q /job_ /proc/self/cgroup && echo cgroup=yes || echo cgroup=no\n"
    "for device in /dev/nvidia[0-9]* /dev/kfd; do\n"
    "  if [ -e \"$device\" ] && (: < \"$device\") 2> /dev/null; then\n"
    "    echo \"open=$device\"\n"
    "  fi\n"
    "done\n";

class ConfinementJobCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"confinement-job",
            "a job of the calling user tries to use GPUs that it does not have",
            {HostRole::kBackend, HostRole::kNode, HostRole::kEnvironment},
            {kJobNotRun, kJobUnconfined, kJobOpensGpu},
            true};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const auto nodes = NodesWithFeature(host, CarmeFeature(host));
    if (!nodes.ok() || nodes->empty()) {
      return {{kJobNotRun,
               nodes.ok() ? FormatMessage(cluster_check_messages::kNoNode)
                          : std::string(nodes.status().message()),
               FormatMessage(cluster_check_messages::kNoNodeRemedy)}};
    }
    const auto job = host.tools().Run(
        {.arguments = {"srun", "--quiet", "--immediate=30", "--nodes=1",
                       "--ntasks=1", "--time=1", "--mem=64M", "--chdir=/tmp",
                       "--job-name=carme-doctor",
                       absl::StrCat("--nodelist=", nodes->front()), "/bin/sh",
                       "-c", kJobScript}},
        absl::Minutes(2));
    if (!job.ok() || !job->ok()) {
      return {{kJobNotRun,
               job.ok() ? absl::StrCat("srun: ", FirstLine(job->error))
                        : std::string(job.status().message()),
               FormatMessage(cluster_check_messages::kJobNotRunRemedy,
                             {{"node", nodes->front()}})}};
    }
    return FindingsOf(nodes->front(), job->output);
  }

 private:
  static std::vector<Finding> FindingsOf(const std::string& node,
                                         const std::string& output) {
    std::vector<Finding> findings;
    if (!absl::StrContains(output, "cgroup=yes")) {
      findings.push_back(
          {kJobUnconfined,
           FormatMessage(cluster_check_messages::kJobUnconfined,
                         {{"node", node}}),
           FormatMessage(cluster_check_messages::kJobUnconfinedRemedy)});
    }
    for (absl::string_view line : absl::StrSplit(output, '\n')) {
      if (!absl::ConsumePrefix(&line, "open=")) continue;
      findings.push_back(
          {kJobOpensGpu,
           FormatMessage(cluster_check_messages::kJobOpensGpu,
                         {{"node", node}, {"device", line}}),
           FormatMessage(cluster_check_messages::kJobOpensGpuRemedy)});
    }
    return findings;
  }
};

}  // namespace

std::unique_ptr<Check> MakeConfinementJobCheck() {
  return std::make_unique<ConfinementJobCheck>();
}

}  // namespace carme::carmectl
