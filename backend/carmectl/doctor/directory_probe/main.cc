// carme-directory-probe CONFIG [USER…]: asks the site's directory with the
// backend's own code, for `carmectl doctor`. Prints a line for each server,
// group and user, with tabs between its fields:
//
//   server  ADDRESS  ok|ERROR
//   group   NAME     ok|ERROR
//   user    NAME     UID|ERROR
//
// Exit code 1: a file of the configuration cannot be used.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "common/config/config.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxProbeText = 400;

void PrintLine(const char* subject, const std::string& object,
               const std::string& result) {
  std::printf("%s\t%s\t%s\n", subject, Readable(object, kMaxProbeText).c_str(),
              Readable(result, kMaxProbeText).c_str());
}

std::string ResultText(const absl::Status& status) {
  return status.ok() ? "ok" : std::string(status.message());
}

// A directory of this server only.
absl::Status ProbeServer(LdapConfig config, const std::string& address) {
  config.url = address;
  ASSIGN_OR_RETURN(const auto directory, LdapDirectory::Create(config));
  directory->ProbeIdleServers();
  for (const LdapServers::Health& server : directory->health()) {
    if (!server.state.status.ok()) return server.state.status;
  }
  return absl::OkStatus();
}

absl::Status RunProbe(const std::string& path,
                      const std::vector<std::string>& users) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  LdapConfig config;
  ReadLdapConfig(file.root().Table("ldap"), &config);
  ASSIGN_OR_RETURN(const auto directory, LdapDirectory::Create(config));
  bool any_server = false;
  for (const std::string& address : LdapAddresses(config.url)) {
    const absl::Status probed = ProbeServer(config, address);
    any_server = any_server || probed.ok();
    PrintLine("server", address, ResultText(probed));
  }
  if (!any_server) return absl::OkStatus();
  for (const std::string& group : config.Groups()) {
    // "*" is everyone; a DN need not be below group_base.
    if (group.empty() || group == "*" || group.find('=') != std::string::npos) {
      continue;
    }
    PrintLine("group", group, ResultText(directory->FindGroup(group).status()));
  }
  for (const std::string& user : users) {
    const auto person = directory->LookUp(user);
    PrintLine("user", user,
              person.ok() ? std::to_string(person->uid.value())
                          : std::string(person.status().message()));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::backend

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: carme-directory-probe CONFIG [USER...]\n");
    return 2;
  }
  const absl::Status done = carme::backend::RunProbe(
      argv[1], std::vector<std::string>(argv + 2, argv + argc));
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(done.message()).c_str());
  return 1;
}
