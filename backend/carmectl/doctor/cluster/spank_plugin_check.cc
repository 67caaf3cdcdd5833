// The SPANK plugin of `srun --environment`, where environment.toml exists.
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/cluster/slurm_settings.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kSpankMissing{
    "spank-plugin-missing", Severity::kError,
    "Without the plugin `srun --environment` is an unknown option."};
constexpr FindingKind kSpankOptional{
    "spank-plugin-optional", Severity::kError,
    "Slurm ignores refusals of an optional plugin and runs the job outside of "
    "its environment."};
constexpr FindingKind kSpankFile{
    "spank-plugin-file", Severity::kError,
    "Slurm cannot start jobs if a required plugin, or its programs, are "
    "missing."};

class SpankPluginCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"spank-plugin",
            "plugstack.conf has Carme's plugin, and its files exist",
            {HostRole::kEnvironment},
            {kSpankMissing, kSpankOptional, kSpankFile}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const std::string path = PlugstackPath(host);
    const auto text = ReadFile(path);
    const std::string expected =
        "required …/spank_carme_env.so …/bin/carme …/carme-env-mount";
    for (absl::string_view line :
         absl::StrSplit(text.ok() ? *text : "", '\n')) {
      if (absl::StrContains(line, "spank_carme_env.so") &&
          !absl::StartsWith(line, "#")) {
        return CheckLine(path, std::string(line));
      }
    }
    return {
        {kSpankMissing,
         FormatMessage(cluster_check_messages::kSpankMissing, {{"path", path}}),
         FormatMessage(cluster_check_messages::kSpankMissingRemedy,
                       {{"line", expected}})}};
  }

 private:
  static std::string PlugstackPath(const Host& host) {
    const auto settings = ReadSlurmSettings(host);
    if (settings.ok()) {
      const auto found = settings->find("PlugStackConfig");
      if (found != settings->end() && !found->second.empty()) {
        return found->second;
      }
      const auto conf = settings->find("SLURM_CONF");
      if (conf != settings->end()) {
        return std::filesystem::path(conf->second).parent_path() /
               "plugstack.conf";
      }
    }
    return host.SystemPath("/etc/slurm/plugstack.conf");
  }

  static std::vector<Finding> CheckLine(const std::string& path,
                                        const std::string& line) {
    std::vector<Finding> findings;
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.front() != "required") {
      findings.push_back(
          {kSpankOptional,
           FormatMessage(cluster_check_messages::kSpankOptional,
                         {{"path", path}, {"line", line}}),
           FormatMessage(cluster_check_messages::kSpankRequiredRemedy)});
    }
    for (size_t index = 1; index < words.size(); ++index) {
      if (words[index][0] != '/' || StatFile(words[index])) continue;
      // carme-env-mount is on compute nodes only.
      if (absl::EndsWith(words[index], "carme-env-mount")) continue;
      findings.push_back(
          {kSpankFile,
           FormatMessage(cluster_check_messages::kSpankFile,
                         {{"file", words[index]}, {"path", path}}),
           FormatMessage(cluster_check_messages::kSpankFileRemedy)});
    }
    return findings;
  }
};

}  // namespace

std::unique_ptr<Check> MakeSpankPluginCheck() {
  return std::make_unique<SpankPluginCheck>();
}

}  // namespace carme::carmectl
