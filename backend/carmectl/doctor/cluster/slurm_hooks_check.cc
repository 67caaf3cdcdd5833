// Slurm's Prolog and Epilog: configured, and on nodes installed so that only
// root can change them.
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kHookNotConfigured{
    "hook-not-configured", Severity::kError,
    "Without the Prolog no job starts; without the Epilog its directories and "
    "processes remain."};
constexpr FindingKind kHookMissing{
    "hook-missing", Severity::kError,
    "slurmd drains a node whose Prolog cannot be started."};
constexpr FindingKind kHookWritable{
    "hook-writable", Severity::kError,
    "slurmd runs the hook as root: a user who can change it becomes root."};
constexpr FindingKind kHookForeign{"hook-of-site", Severity::kWarning,
                                   "A site's own hook must call Carme's."};

class SlurmHooksCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"slurm-hooks",
            "Prolog and Epilog are configured and installed",
            {HostRole::kBackend, HostRole::kNode},
            {kHookNotConfigured, kHookMissing, kHookWritable, kHookForeign}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    const auto settings = ReadSlurmSettings(host);
    if (!settings.ok()) return findings;  // a finding of the check `slurm`
    CheckHook(host, *settings, "Prolog", "prolog", &findings);
    CheckHook(host, *settings, "Epilog", "epilog", &findings);
    return findings;
  }

 private:
  static void CheckHook(const Host& host,
                        const std::map<std::string, std::string>& settings,
                        const std::string& key, const std::string& program,
                        std::vector<Finding>* findings) {
    std::string path;
    // Newer releases number several hooks.
    for (const std::string& name : {key, absl::StrCat(key, "[0]")}) {
      const auto found = settings.find(name);
      if (path.empty() && found != settings.end()) path = found->second;
    }
    if (path.empty()) {
      findings->push_back(
          {kHookNotConfigured,
           FormatMessage(cluster_check_messages::kHookNotConfigured,
                         {{"key", key}}),
           FormatMessage(cluster_check_messages::kHookNotConfiguredRemedy,
                         {{"key", key}, {"program", program}})});
      return;
    }
    if (!host.node()) return;  // only nodes have the files
    if (access(path.c_str(), X_OK) != 0) {
      findings->push_back(
          {kHookMissing,
           FormatMessage(cluster_check_messages::kHookMissing,
                         {{"key", key}, {"path", path}}),
           FormatMessage(cluster_check_messages::kHookMissingRemedy)});
      return;
    }
    const std::string problem =
        WriteAccessProblem(path, host.options().root_uid);
    if (!problem.empty()) {
      findings->push_back(
          {kHookWritable, problem,
           FormatMessage(cluster_check_messages::kWritableRemedy,
                         {{"path", path}})});
    }
    if (!CallsCarme(path, program)) {
      findings->push_back(
          {kHookForeign,
           FormatMessage(cluster_check_messages::kHookForeign,
                         {{"key", key}, {"path", path}, {"program", program}}),
           FormatMessage(cluster_check_messages::kHookForeignRemedy,
                         {{"program", program}})});
    }
  }

  static bool CallsCarme(const std::string& path, const std::string& program) {
    const std::string own = absl::StrCat("carme/", program);
    if (absl::EndsWith(path, own)) return true;
    const auto script = ReadFile(path);
    return script.ok() && absl::StrContains(*script, own);
  }
};

}  // namespace

std::unique_ptr<Check> MakeSlurmHooksCheck() {
  return std::make_unique<SlurmHooksCheck>();
}

}  // namespace carme::carmectl
