// A job of the calling user: tries what Slurm's control groups must prevent,
// and compares its node with this host.
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/cluster/test_job.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kMaxClockSkew = absl::Seconds(5);

constexpr FindingKind kJobNotRun{"confinement-job-not-run", Severity::kWarning,
                                 "Whether jobs are confined was not tried."};
constexpr FindingKind kJobUnconfined{
    "job-outside-control-group", Severity::kError,
    "Slurm cannot limit the job's processes, nor end all of them."};
constexpr FindingKind kJobOpensGpu{
    "job-opens-foreign-gpu", Severity::kError,
    "A job can read and disturb the computations of other jobs."};
constexpr FindingKind kNodeClock{
    "node-clock-wrong", Severity::kError,
    "Credentials of agents are valid for a minute."};
constexpr FindingKind kNodeMunge{
    "node-munge-refused", Severity::kError,
    "Agents authenticate with MUNGE at the backend."};
constexpr FindingKind kNodeUid{
    "node-uid-differs", Severity::kError,
    "Slurm starts jobs by uid: on this node they cannot use the user's files, "
    "or could use those of others."};
constexpr FindingKind kHookSlow{
    "hook-slow", Severity::kWarning,
    "Users wait for the Prolog, and the node's next job for the Epilog."};

class ConfinementJobCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "confinement-job",
        "a job of the calling user tries to use GPUs that it does not "
        "have; MUNGE in both directions, the node's clock and uids, time of "
        "hooks",
        {HostRole::kBackend, HostRole::kNode, HostRole::kEnvironment},
        {kJobNotRun, kJobUnconfined, kJobOpensGpu, kNodeClock, kNodeUid,
         kNodeMunge, kHookSlow},
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
    const std::string& node = nodes->front();
    const auto job = RunTestJob(host, node);
    if (!job.ok()) {
      return {{kJobNotRun, std::string(job.status().message()),
               FormatMessage(cluster_check_messages::kJobNotRunRemedy,
                             {{"node", node}})}};
    }
    std::vector<Finding> findings;
    CheckConfinement(node, *job, &findings);
    CheckClock(node, *job, &findings);
    CheckUid(node, *job, &findings);
    CheckMunge(node, *job, &findings);
    CheckHooks(host.options().max_hook_time, node, *job, &findings);
    return findings;
  }

 private:
  using Findings = std::vector<Finding>;

  static void CheckConfinement(const std::string& node,
                               const TestJobReport& job, Findings* findings) {
    if (!job.in_control_group) {
      findings->push_back(
          {kJobUnconfined,
           FormatMessage(cluster_check_messages::kJobUnconfined,
                         {{"node", node}}),
           FormatMessage(cluster_check_messages::kJobUnconfinedRemedy)});
    }
    for (const std::string& device : job.devices) {
      findings->push_back(
          {kJobOpensGpu,
           FormatMessage(cluster_check_messages::kJobOpensGpu,
                         {{"node", node}, {"device", device}}),
           FormatMessage(cluster_check_messages::kJobOpensGpuRemedy)});
    }
  }

  static void CheckClock(const std::string& node, const TestJobReport& job,
                         Findings* findings) {
    const absl::Duration skew = absl::AbsDuration(job.clock_ahead);
    if (skew <= kMaxClockSkew) return;
    findings->push_back(
        {kNodeClock,
         FormatMessage(job.clock_ahead > absl::ZeroDuration()
                           ? cluster_check_messages::kNodeClockAhead
                           : cluster_check_messages::kNodeClockBehind,
                       {{"node", node}, {"skew", Rounded(skew)}}),
         FormatMessage(cluster_check_messages::kNodeClockRemedy,
                       {{"node", node}})});
  }

  static void CheckUid(const std::string& node, const TestJobReport& job,
                       Findings* findings) {
    const std::string uid = absl::StrCat(geteuid());
    if (job.user.empty() || !job.node_uid || *job.node_uid == uid) return;
    findings->push_back(
        {kNodeUid,
         job.node_uid->empty()
             ? FormatMessage(cluster_check_messages::kNodeUserMissing,
                             {{"node", node}, {"user", job.user}})
             : FormatMessage(cluster_check_messages::kNodeUid,
                             {{"user", job.user},
                              {"uid", uid},
                              {"node_uid", *job.node_uid},
                              {"node", node}}),
         FormatMessage(cluster_check_messages::kNodeUidRemedy,
                       {{"node", node}, {"user", job.user}})});
  }

  static void CheckMunge(const std::string& node, const TestJobReport& job,
                         Findings* findings) {
    const std::string remedy =
        FormatMessage(cluster_check_messages::kMungeKeyRemedy);
    if (!job.node_refuses.empty()) {
      findings->push_back(
          {kNodeMunge,
           FormatMessage(cluster_check_messages::kNodeRefuses,
                         {{"node", node}, {"cause", job.node_refuses}}),
           remedy});
    }
    if (!job.host_refuses.empty()) {
      findings->push_back(
          {kNodeMunge,
           FormatMessage(cluster_check_messages::kHostRefuses,
                         {{"node", node}, {"cause", job.host_refuses}}),
           remedy});
    }
  }

  static void CheckHooks(absl::Duration max, const std::string& node,
                         const TestJobReport& job, Findings* findings) {
    for (const auto& [name, time] :
         {std::pair("Prolog", job.prolog), std::pair("Epilog", job.epilog)}) {
      if (time <= max) continue;
      findings->push_back(
          {kHookSlow,
           FormatMessage(
               cluster_check_messages::kHookSlow,
               {{"hook", name}, {"node", node}, {"time", Rounded(time)}}),
           FormatMessage(cluster_check_messages::kHookSlowRemedy,
                         {{"hook", name}, {"node", node}})});
    }
  }

  static std::string Rounded(absl::Duration time) {
    return absl::FormatDuration(absl::Trunc(time, absl::Milliseconds(100)));
  }
};

}  // namespace

std::unique_ptr<Check> MakeConfinementJobCheck() {
  return std::make_unique<ConfinementJobCheck>();
}

}  // namespace carme::carmectl
