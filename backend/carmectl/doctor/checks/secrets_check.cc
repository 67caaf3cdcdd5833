// Keys and passwords: readable by their program only.
#include <sys/stat.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kSecretMissing{
    "secret-missing", Severity::kError,
    "The program does not start without this file."};
constexpr FindingKind kSecretExposed{
    "secret-exposed", Severity::kError,
    "Users of this host can copy the secret and act as the program, which "
    "refuses to use such a file."};
constexpr FindingKind kSecretUnreadable{
    "secret-unreadable", Severity::kError,
    "The program does not start if it cannot read this file."};
constexpr FindingKind kSecretAccountMissing{
    "account-missing", Severity::kError,
    "The program runs as this account, which owns its secrets."};

// Which class of the mode applies depends on the group of the account, so a
// group may read only if it is the account's own or the file's owner is root.
bool MayRead(const struct stat& info, uid_t account) {
  if (info.st_uid == account) return (info.st_mode & 0400) != 0;
  return (info.st_mode & 0040) != 0;
}

class SecretsCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"secrets",
            "keys and passwords are readable by their program only",
            {HostRole::kProxy, HostRole::kFrontend, HostRole::kBackend,
             HostRole::kMetrics},
            {kSecretMissing, kSecretExposed, kSecretUnreadable,
             kSecretAccountMissing}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (const auto& proxy = host.proxy()) {
      std::vector<std::string> keys = {proxy->backend.own.key};
      for (const CertificatePaths& each : proxy->certificates) {
        keys.push_back(each.key);
      }
      CheckRole(host, HostRole::kProxy, keys, &findings);
    }
    if (const auto& frontend = host.frontend()) {
      CheckRole(host, HostRole::kFrontend, {frontend->backend.own.key},
                &findings);
    }
    if (const auto& backend = host.backend()) {
      CheckRole(host, HostRole::kBackend,
                {backend->own.key, backend->identity_backend.own.key,
                 backend->ldap_password_file, backend->mail_password_file},
                &findings);
    }
    if (const auto& metrics = host.metrics()) {
      CheckRole(host, HostRole::kMetrics,
                {metrics->own.key, metrics->database_password_file}, &findings);
    }
    return findings;
  }

 private:
  static void CheckRole(const Host& host, HostRole role,
                        const std::vector<std::string>& paths,
                        std::vector<Finding>* findings) {
    const auto account = host.AccountOf(role);
    if (!account.ok()) {
      findings->push_back(
          {kSecretAccountMissing,
           absl::StrCat(std::string(ProgramOf(role)), ": ",
                        account.status().message()),
           FormatMessage(host_check_messages::kAccountMissingRemedy)});
      return;
    }
    for (const std::string& path : paths) {
      if (!path.empty()) CheckSecret(path, *account, findings);
    }
  }

  static void CheckSecret(const std::string& path, uid_t account,
                          std::vector<Finding>* findings) {
    const auto file = StatFile(path);
    if (!file) {
      findings->push_back(
          {kSecretMissing,
           FormatMessage(host_check_messages::kSecretMissing, {{"path", path}}),
           FormatMessage(host_check_messages::kSecretMissingRemedy,
                         {{"path", path}})});
      return;
    }
    const std::string mend =
        FormatMessage(host_check_messages::kSecretRemedy,
                      {{"account", account}, {"path", path}});
    if ((file->st_mode & 0027) != 0) {
      findings->push_back(
          {kSecretExposed,
           FormatMessage(
               host_check_messages::kSecretExposed,
               {{"path", path},
                {"mode", absl::StrFormat("%03o", file->st_mode & 0777)}}),
           mend});
    }
    if (!MayRead(*file, account)) {
      findings->push_back(
          {kSecretUnreadable,
           FormatMessage(
               host_check_messages::kSecretUnreadable,
               {{"path", path},
                {"owner", file->st_uid},
                {"mode", absl::StrFormat("%03o", file->st_mode & 0777)},
                {"account", account}}),
           mend});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeSecretsCheck() {
  return std::make_unique<SecretsCheck>();
}

}  // namespace carme::carmectl
