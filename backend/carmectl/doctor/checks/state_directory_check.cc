// The private directories of backend, proxy and carme-metrics.
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/store/private_directory.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kStateDirectoryMissing{
    "state-directory-missing", Severity::kError,
    "The program keeps its keys and its state there."};
constexpr FindingKind kStateDirectoryNotPrivate{
    "state-directory-not-private", Severity::kError,
    "It holds keys and second factors; the program does not start with it."};

constexpr FindingKind kStateFileOwner{
    "state-file-owner", Severity::kError,
    "The program does not start with files that it cannot open, such as those "
    "that root restored."};

class StateDirectoryCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "state-directory",
        "state directories belong to their program only",
        {HostRole::kProxy, HostRole::kBackend, HostRole::kMetrics},
        {kStateDirectoryMissing, kStateDirectoryNotPrivate, kStateFileOwner}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (host.proxy()) {
      CheckOne(host, HostRole::kProxy, host.proxy()->state_directory,
               &findings);
    }
    if (host.backend()) {
      CheckOne(host, HostRole::kBackend, host.backend()->state_directory,
               &findings);
    }
    if (host.metrics()) {
      CheckOne(host, HostRole::kMetrics, host.metrics()->state_directory,
               &findings);
    }
    return findings;
  }

 private:
  static void CheckOne(const Host& host, HostRole role, const std::string& path,
                       std::vector<Finding>* findings) {
    const auto account = host.AccountOf(role);
    if (!account.ok()) return;  // a finding of the check `secrets`
    const absl::Status is_private =
        backend::CheckPrivateDirectory(path, *account);
    if (is_private.ok()) {
      const absl::Status owners = backend::CheckFileOwners(path, *account);
      if (!owners.ok()) {
        findings->push_back(
            {kStateFileOwner, std::string(owners.message()),
             absl::StrFormat("chown -R %d %s", *account, path)});
      }
      return;
    }
    const bool missing = absl::IsNotFound(is_private);
    findings->push_back(
        {missing ? kStateDirectoryMissing : kStateDirectoryNotPrivate,
         FormatMessage(host_check_messages::kStateDirectory,
                       {{"cause", is_private.message()}}),
         missing ? absl::StrFormat("install -d -m 700 -o %d %s", *account, path)
                 : absl::StrFormat("chown -R %d %s && chmod 700 %s", *account,
                                   path, path)});
  }
};

}  // namespace

std::unique_ptr<Check> MakeStateDirectoryCheck() {
  return std::make_unique<StateDirectoryCheck>();
}

}  // namespace carme::carmectl
