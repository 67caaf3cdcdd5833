// The site's directory, by carme-directory-probe: a program of its own, so that
// carmectl does not need libldap on hosts that have none.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/cluster/directory_probe.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kDirectoryNotChecked{"directory-not-checked",
                                           Severity::kNote,
                                           "Log-ins depend on the directory."};
constexpr FindingKind kDirectorySetup{
    "directory-setup", Severity::kError,
    "Carme cannot connect to the directory without these files."};
constexpr FindingKind kDirectoryUnavailable{
    "directory-unavailable", Severity::kError,
    "While no server of the directory responds, no user can log in."};
constexpr FindingKind kDirectoryGroupMissing{
    "directory-group-missing", Severity::kError,
    "Only members of the group may log in, or have the role."};

class DirectoryCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"directory",
            "each LDAP server accepts TLS and the service account; the groups "
            "exist",
            {HostRole::kBackend},
            {kDirectoryNotChecked, kDirectorySetup, kDirectoryUnavailable,
             kDirectoryGroupMissing}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    if (!host.backend()) return {};
    const auto lines = ProbeDirectory(host, {});
    if (!lines.ok()) {
      const bool absent = absl::IsNotFound(lines.status());
      return {
          {absent ? kDirectoryNotChecked : kDirectorySetup,
           std::string(lines.status().message()),
           absent
               ? FormatMessage(cluster_check_messages::kDirectoryProgramRemedy)
               : FormatMessage(cluster_check_messages::kDirectoryRemedy)}};
    }
    std::vector<Finding> findings;
    for (const DirectoryProbeLine& line : *lines) {
      if (line.subject == "server" && line.result != "ok") {
        findings.push_back(
            {kDirectoryUnavailable,
             absl::StrCat(line.object, ": ", line.result),
             absl::StrCat("LDAPTLS_CACERT=", host.backend()->ldap_ca,
                          " ldapwhoami -x -H ", line.object, " -D \"",
                          host.backend()->ldap_bind_dn, "\" -y ",
                          host.backend()->ldap_password_file)});
      }
      if (line.subject == "group" && line.result != "ok") {
        findings.push_back(
            {kDirectoryGroupMissing,
             FormatMessage(cluster_check_messages::kGroupMissing,
                           {{"group", line.object}, {"cause", line.result}}),
             FormatMessage(cluster_check_messages::kGroupMissingRemedy)});
      }
    }
    return findings;
  }
};

}  // namespace

std::unique_ptr<Check> MakeDirectoryCheck() {
  return std::make_unique<DirectoryCheck>();
}

}  // namespace carme::carmectl
