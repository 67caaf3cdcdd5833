// Has each program read its configuration file.
#include <unistd.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kConfigurationInvalid{
    "configuration-invalid", Severity::kError,
    "The program does not start with an invalid configuration."};
constexpr FindingKind kConfigurationWarning{
    "configuration-warning", Severity::kWarning,
    "The program starts, but this setting weakens the site."};
constexpr FindingKind kConfigurationUnread{
    "configuration-not-checked", Severity::kNote,
    "Only the program that reads the file can check it."};
constexpr FindingKind kConfigurationWritable{
    "configuration-writable", Severity::kError,
    "A user who can change the file controls the program that reads it."};

constexpr FindingKind kVersionDiffers{
    "version-differs", Severity::kWarning,
    "Programs of different releases of one host are not tested together."};

class ConfigurationCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"configuration",
            "each program accepts its file, which only root can change, and is "
            "of this release",
            {std::begin(kHostRoles), std::end(kHostRoles)},
            {kConfigurationInvalid, kConfigurationWarning, kConfigurationUnread,
             kConfigurationWritable, kVersionDiffers}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    for (const HostRole role : host.roles()) {
      const std::string path = host.ConfigPath(role);
      if (!StatFile(path)) {
        findings.push_back(
            {kConfigurationInvalid,
             FormatMessage(host_check_messages::kFileMissing, {{"path", path}}),
             FormatMessage(host_check_messages::kFileMissingRemedy,
                           {{"path", path}})});
        continue;
      }
      CheckOwner(host, path, &findings);
      if (ProgramOf(role).empty()) continue;
      CheckContent(host, role, path, &findings);
      CheckVersion(host, std::string(ProgramOf(role)), &findings);
    }
    return findings;
  }

 private:
  static void CheckOwner(const Host& host, const std::string& path,
                         std::vector<Finding>* findings) {
    const std::string problem =
        WriteAccessProblem(path, host.options().root_uid);
    if (problem.empty()) return;
    findings->push_back({kConfigurationWritable, problem,
                         FormatMessage(host_check_messages::kWritableRemedy,
                                       {{"path", path}})});
  }

  // A program that cannot be run is a finding of CheckContent.
  static void CheckVersion(const Host& host, const std::string& program,
                           std::vector<Finding>* findings) {
    const auto ran = host.tools().Run({.arguments = {program, "--version"}});
    const std::string version = ran.ok() ? FirstLine(ran->output) : "";
    const std::string expected = absl::StrCat(program, " ", CARME_VERSION);
    if (version.empty() || version == expected) return;
    findings->push_back(
        {kVersionDiffers,
         FormatMessage(host_check_messages::kVersionDiffers,
                       {{"version", version}, {"own", CARME_VERSION}}),
         FormatMessage(host_check_messages::kVersionDiffersRemedy,
                       {{"program", program}})});
  }

  static void CheckContent(const Host& host, HostRole role,
                           const std::string& path,
                           std::vector<Finding>* findings) {
    const std::string program(ProgramOf(role));
    const auto read = host.tools().Run(
        {.arguments = {program, "--config", path, "--check-config"}});
    const std::string command =
        absl::StrCat(program, " --config ", path, " --check-config");
    if (!read.ok()) {
      findings->push_back(
          {kConfigurationUnread,
           FormatMessage(host_check_messages::kNotChecked,
                         {{"path", path}, {"cause", read.status().message()}}),
           FormatMessage(host_check_messages::kNotCheckedRemedy,
                         {{"command", command}})});
      return;
    }
    const FindingKind& kind =
        read->ok() ? kConfigurationWarning : kConfigurationInvalid;
    for (absl::string_view line :
         absl::StrSplit(read->error, '\n', absl::SkipEmpty())) {
      findings->push_back({kind, std::string(line),
                           FormatMessage(host_check_messages::kInvalidRemedy,
                                         {{"command", command}})});
    }
    if (!read->ok() && read->error.empty()) {
      findings->push_back({kConfigurationInvalid,
                           FormatMessage(host_check_messages::kRefused,
                                         {{"program", program},
                                          {"path", path},
                                          {"exit_code", read->exit_code}}),
                           absl::StrCat("see: ", command)});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeConfigurationCheck() {
  return std::make_unique<ConfigurationCheck>();
}

}  // namespace carme::carmectl
