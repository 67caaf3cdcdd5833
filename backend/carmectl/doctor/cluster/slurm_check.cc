// Slurm's controller: reachable, of a release that libslurm can use, with the
// settings that Carme needs.
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kSlurmUnavailable{
    "slurm-unavailable", Severity::kError,
    "Without slurmctld no job can be submitted, shown or stopped."};
constexpr FindingKind kSlurmRelease{
    "slurm-release-differs", Severity::kError,
    "slurmctld understands libslurm of its own release and of the two before."};
constexpr FindingKind kSlurmClusterName{
    "slurm-cluster-name-missing", Severity::kWarning,
    "Accounting and reports identify the cluster by its name."};
constexpr FindingKind kSlurmFeature{
    "slurm-feature-missing", Severity::kError,
    "Each job of Carme requests this feature; Slurm refuses jobs for which no "
    "node has it."};
constexpr FindingKind kSlurmPrologFlags{
    "slurm-prolog-flags", Severity::kError,
    "Without Alloc a job may begin before the Prolog has created its "
    "directories."};
constexpr FindingKind kSlurmSrunPorts{
    "slurm-srun-port-range", Severity::kWarning,
    "srun listens on arbitrary ports, which a firewall between slurmctld and "
    "the nodes blocks."};

// "22.05" of "slurm-wlm 22.05.8"; empty: not found.
std::string ReleaseOf(const std::string& text) {
  for (size_t at = 0; at + 5 <= text.size(); ++at) {
    const std::string part = text.substr(at, 5);
    if (part[2] == '.' && absl::ascii_isdigit(part[0]) &&
        absl::ascii_isdigit(part[1]) && absl::ascii_isdigit(part[3]) &&
        absl::ascii_isdigit(part[4])) {
      return part;
    }
  }
  return "";
}

std::string Value(const std::map<std::string, std::string>& settings,
                  const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

class SlurmCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"slurm",
            "slurmctld responds, with its release, feature and settings",
            {HostRole::kBackend, HostRole::kNode},
            {kSlurmUnavailable, kSlurmRelease, kSlurmClusterName, kSlurmFeature,
             kSlurmPrologFlags, kSlurmSrunPorts}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const auto settings = ReadSlurmSettings(host);
    if (!settings.ok()) {
      return {{kSlurmUnavailable, std::string(settings.status().message()),
               FormatMessage(cluster_check_messages::kSlurmUnreachableRemedy)}};
    }
    std::vector<Finding> findings;
    CheckRelease(host, Value(*settings, "SLURM_VERSION"), &findings);
    if (Value(*settings, "ClusterName").empty()) {
      findings.push_back(
          {kSlurmClusterName,
           FormatMessage(cluster_check_messages::kClusterName),
           FormatMessage(cluster_check_messages::kClusterNameRemedy)});
    }
    CheckFeature(host, &findings);
    const std::string flags = Value(*settings, "PrologFlags");
    if (!ListHas(flags, "Alloc") && !ListHas(flags, "Contain")) {
      findings.push_back(
          {kSlurmPrologFlags,
           FormatMessage(cluster_check_messages::kPrologFlags,
                         {{"flags", flags}}),
           FormatMessage(cluster_check_messages::kPrologFlagsRemedy)});
    }
    const std::string ports = Value(*settings, "SrunPortRange");
    if (ports.empty() || ports == "0-0") {
      findings.push_back(
          {kSlurmSrunPorts, FormatMessage(cluster_check_messages::kSrunPorts),
           FormatMessage(cluster_check_messages::kSrunPortsRemedy)});
    }
    return findings;
  }

 private:
  static void CheckRelease(const Host& host, const std::string& controller,
                           std::vector<Finding>* findings) {
    const auto local =
        host.tools().Run({.arguments = {"scontrol", "--version"}});
    const std::string mine = local.ok() ? ReleaseOf(local->output) : "";
    const std::string theirs = ReleaseOf(controller);
    // Which three releases fit is known to slurmctld only; a newer client never
    // does.
    if (mine.empty() || theirs.empty() || mine <= theirs) return;
    findings->push_back(
        {kSlurmRelease,
         FormatMessage(cluster_check_messages::kRelease,
                       {{"slurmctld", theirs}, {"host", mine}}),
         FormatMessage(cluster_check_messages::kReleaseRemedy)});
  }

  static void CheckFeature(const Host& host, std::vector<Finding>* findings) {
    const std::string feature = CarmeFeature(host);
    const auto nodes = NodesWithFeature(host, feature);
    if (!nodes.ok() || !nodes->empty()) return;
    findings->push_back({kSlurmFeature,
                         FormatMessage(cluster_check_messages::kFeature,
                                       {{"feature", feature}}),
                         FormatMessage(cluster_check_messages::kFeatureRemedy,
                                       {{"feature", feature}})});
  }
};

}  // namespace

std::unique_ptr<Check> MakeSlurmCheck() {
  return std::make_unique<SlurmCheck>();
}

}  // namespace carme::carmectl
