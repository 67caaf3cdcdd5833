// The name service: the root programs and Slurm look users up in it, so it must
// agree with the directory.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/doctor/cluster/directory_probe.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxSampledUsers = 5;

constexpr FindingKind kNssGroupMissing{
    "nss-group-missing", Severity::kError,
    "The root programs act only for members of this group, as the name service "
    "reports them."};
constexpr FindingKind kNssUserMissing{
    "nss-user-missing", Severity::kError,
    "The user can log in, but jobs are refused."};
constexpr FindingKind kNssUidDiffers{
    "nss-uid-differs", Severity::kError,
    "Jobs are submitted with the uid of the name service; Carme refuses a user "
    "whose uids differ."};
constexpr FindingKind kNssNotCompared{
    "nss-not-compared", Severity::kNote,
    "Only ids of users of the directory can be compared."};

// The fields of the entry; empty: there is none.
std::vector<std::string> Lookup(const Host& host, const std::string& database,
                                const std::string& name) {
  const auto found =
      host.tools().Run({.arguments = {"getent", database, name}});
  if (!found.ok() || !found->ok()) return {};
  return absl::StrSplit(FirstLine(found->output), ':');
}

class NameServiceCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "name-service",
        "NSS knows the allowed group, and users by the directory's ids",
        {HostRole::kBackend, HostRole::kImpersonator, HostRole::kStorageReader},
        {kNssGroupMissing, kNssUserMissing, kNssUidDiffers, kNssNotCompared}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    std::vector<std::string> members = host.options().users;
    for (const std::string& group : Groups(host)) {
      const std::vector<std::string> entry = Lookup(host, "group", group);
      if (entry.size() < 4) {
        findings.push_back(
            {kNssGroupMissing,
             FormatMessage(cluster_check_messages::kNssGroupMissing,
                           {{"group", group}}),
             FormatMessage(cluster_check_messages::kNssGroupMissingRemedy)});
      } else if (members.empty()) {
        members = absl::StrSplit(entry[3], ',', absl::SkipEmpty());
      }
    }
    if (host.backend()) CompareUsers(host, members, &findings);
    return findings;
  }

 private:
  static std::set<std::string> Groups(const Host& host) {
    std::set<std::string> groups;
    if (host.impersonator()) groups.insert(host.impersonator()->allowed_group);
    if (host.storage_reader()) {
      groups.insert(host.storage_reader()->allowed_group);
    }
    groups.erase("");
    return groups;
  }

  static void CompareUsers(const Host& host, std::vector<std::string> users,
                           std::vector<Finding>* findings) {
    if (host.options().users.empty() && users.size() > kMaxSampledUsers) {
      users.resize(kMaxSampledUsers);
    }
    if (users.empty()) {
      findings->push_back(
          {kNssNotCompared, FormatMessage(cluster_check_messages::kNoMember),
           FormatMessage(cluster_check_messages::kNoMemberRemedy)});
      return;
    }
    const auto lines = ProbeDirectory(host, users);
    if (!lines.ok()) return;  // a finding of the check `directory`
    for (const DirectoryProbeLine& line : *lines) {
      if (line.subject == "user") CompareUser(host, line, findings);
    }
  }

  static void CompareUser(const Host& host, const DirectoryProbeLine& user,
                          std::vector<Finding>* findings) {
    int64_t uid = 0;
    if (!absl::SimpleAtoi(user.result, &uid)) {
      findings->push_back(
          {kNssNotCompared,
           FormatMessage(cluster_check_messages::kNoEntry,
                         {{"user", user.object}, {"cause", user.result}}),
           FormatMessage(cluster_check_messages::kNoEntryRemedy)});
      return;
    }
    const std::vector<std::string> entry = Lookup(host, "passwd", user.object);
    if (entry.size() < 3) {
      findings->push_back(
          {kNssUserMissing,
           FormatMessage(cluster_check_messages::kNssUserMissing,
                         {{"user", user.object}}),
           FormatMessage(cluster_check_messages::kNssUserMissingRemedy)});
    } else if (entry[2] != user.result) {
      findings->push_back(
          {kNssUidDiffers,
           FormatMessage(cluster_check_messages::kUidDiffers,
                         {{"user", user.object},
                          {"directory_uid", user.result},
                          {"uid", entry[2]}}),
           FormatMessage(cluster_check_messages::kUidDiffersRemedy)});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeNameServiceCheck() {
  return std::make_unique<NameServiceCheck>();
}

}  // namespace carme::carmectl
