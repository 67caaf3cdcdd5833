// Slurm's control groups, which keep a job to its own GPUs, memory and
// processors. What Slurm is configured to do; no job tries it.
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kTaskPluginMissing{
    "cgroup-task-plugin-missing", Severity::kError,
    "Without task/cgroup jobs are not confined, and can use GPUs and memory of "
    "others."};
constexpr FindingKind kTrackPluginMissing{
    "cgroup-proctrack-missing", Severity::kError,
    "Without proctrack/cgroup processes can outlive their job."};
constexpr FindingKind kDevicesUnconstrained{
    "cgroup-devices-unconstrained", Severity::kError,
    "A job can use the GPUs of other jobs on its node."};
constexpr FindingKind kMemoryUnconstrained{
    "cgroup-memory-unconstrained", Severity::kWarning,
    "A job can use up the memory of its node."};
constexpr FindingKind kCgroupVersion{
    "cgroup-version-differs", Severity::kError,
    "slurmd does not start, or does not confine jobs, with the plugin of the "
    "other version."};

class ConfinementCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"confinement",
            "Slurm is configured to confine jobs by control groups",
            {HostRole::kBackend, HostRole::kNode},
            {kTaskPluginMissing, kTrackPluginMissing, kDevicesUnconstrained,
             kMemoryUnconstrained, kCgroupVersion}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const auto settings = ReadSlurmSettings(host);
    if (!settings.ok()) return {};  // a finding of the check `slurm`
    const auto value = [&](const std::string& key) {
      const auto found = settings->find(key);
      return found == settings->end() ? std::string() : found->second;
    };
    std::vector<Finding> findings;
    const auto report = [&](const FindingKind& kind, const std::string& key,
                            const std::string& file,
                            const std::string& setting) {
      findings.push_back(
          {kind,
           FormatMessage(cluster_check_messages::kSetting,
                         {{"key", key}, {"value", value(key)}}),
           FormatMessage(cluster_check_messages::kSettingRemedy,
                         {{"setting", setting}, {"file", file}})});
    };
    if (!ListHas(value("TaskPlugin"), "task/cgroup")) {
      report(kTaskPluginMissing, "TaskPlugin", "slurm.conf",
             "TaskPlugin=task/cgroup,task/affinity");
    }
    if (value("ProctrackType") != "proctrack/cgroup") {
      report(kTrackPluginMissing, "ProctrackType", "slurm.conf",
             "ProctrackType=proctrack/cgroup");
    }
    if (!absl::EqualsIgnoreCase(value("ConstrainDevices"), "yes")) {
      report(kDevicesUnconstrained, "ConstrainDevices", "cgroup.conf",
             "ConstrainDevices=yes");
    }
    if (!absl::EqualsIgnoreCase(value("ConstrainRAMSpace"), "yes")) {
      report(kMemoryUnconstrained, "ConstrainRAMSpace", "cgroup.conf",
             "ConstrainRAMSpace=yes");
    }
    if (host.node()) CheckVersion(host, value("CgroupPlugin"), &findings);
    return findings;
  }

 private:
  static void CheckVersion(const Host& host, const std::string& plugin,
                           std::vector<Finding>* findings) {
    const bool unified =
        StatFile(host.SystemPath("/sys/fs/cgroup/cgroup.controllers"))
            .has_value();
    const std::string wrong = unified ? "cgroup/v1" : "cgroup/v2";
    if (plugin != wrong) return;  // "autodetect", or the right one
    findings->push_back(
        {kCgroupVersion,
         FormatMessage(cluster_check_messages::kCgroupVersion,
                       {{"plugin", plugin}, {"version", unified ? "2" : "1"}}),
         FormatMessage(cluster_check_messages::kCgroupVersionRemedy)});
  }
};

}  // namespace

std::unique_ptr<Check> MakeConfinementCheck() {
  return std::make_unique<ConfinementCheck>();
}

}  // namespace carme::carmectl
