// What a node needs to start images: Apptainer, /dev/fuse and a way for users
// to create namespaces.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kApptainerMissing{
    "apptainer-missing", Severity::kError,
    "Jobs in images are refused on this node."};
constexpr FindingKind kFuseUnusable{
    "fuse-unusable", Severity::kError,
    "Users' programs mount images by /dev/fuse."};
constexpr FindingKind kNamespacesDenied{
    "user-namespaces-denied", Severity::kError,
    "Without its setuid program Apptainer needs unprivileged user namespaces."};

class ImagesCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"images",
            "Apptainer, /dev/fuse and user namespaces work on this node",
            {HostRole::kNode},
            {kApptainerMissing, kFuseUnusable, kNamespacesDenied}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (!host.node() || host.node()->apptainer.empty()) return findings;
    const std::string& apptainer = host.node()->apptainer;
    if (access(apptainer.c_str(), X_OK) != 0) {
      findings.push_back(
          {kApptainerMissing,
           FormatMessage(cluster_check_messages::kApptainerMissing,
                         {{"path", apptainer}}),
           FormatMessage(cluster_check_messages::kApptainerMissingRemedy)});
    }
    CheckFuse(host.SystemPath("/dev/fuse"), &findings);
    if (!HasSetuidStarter(apptainer)) CheckNamespaces(host, &findings);
    return findings;
  }

 private:
  static void CheckFuse(const std::string& path,
                        std::vector<Finding>* findings) {
    const auto device = StatFile(path);
    if (device && (device->st_mode & 0666) == 0666) return;
    findings->push_back(
        {kFuseUnusable,
         device ? FormatMessage(cluster_check_messages::kFuseMode,
                                {{"path", path},
                                 {"mode", absl::StrFormat(
                                              "%03o", device->st_mode & 0777)}})
                : FormatMessage(cluster_check_messages::kFuseMissing,
                                {{"path", path}}),
         device ? FormatMessage(cluster_check_messages::kFuseModeRemedy)
                : FormatMessage(cluster_check_messages::kFuseMissingRemedy)});
  }

  static bool HasSetuidStarter(const std::string& apptainer) {
    std::error_code error;
    const auto program = std::filesystem::canonical(apptainer, error);
    if (error) return false;
    const auto starter = StatFile(program.parent_path().parent_path() /
                                  "libexec/apptainer/bin/starter-suid");
    return starter && starter->st_uid == 0 && (starter->st_mode & S_ISUID);
  }

  static void CheckNamespaces(const Host& host,
                              std::vector<Finding>* findings) {
    struct Setting {
      const char* path;
      const char* refusal;  // its value when users are refused
      const char* remedy;
    };
    constexpr Setting kSettings[] = {
        {"/proc/sys/user/max_user_namespaces", "0",
         "sysctl user.max_user_namespaces=65536"},
        {"/proc/sys/kernel/unprivileged_userns_clone", "0",
         "sysctl kernel.unprivileged_userns_clone=1"},
        {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
         "install Apptainer's AppArmor profile, or sysctl "
         "kernel.apparmor_restrict_unprivileged_userns=0"},
    };
    for (const Setting& setting : kSettings) {
      const auto value = ReadFile(host.SystemPath(setting.path));
      if (!value.ok() ||
          absl::StripAsciiWhitespace(*value) != setting.refusal) {
        continue;
      }
      findings->push_back({kNamespacesDenied,
                           absl::StrCat(setting.path, " is ", setting.refusal),
                           FormatMessage(cluster_check_messages::kSysctlRemedy,
                                         {{"command", setting.remedy}})});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeImagesCheck() {
  return std::make_unique<ImagesCheck>();
}

}  // namespace carme::carmectl
