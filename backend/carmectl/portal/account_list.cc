#include "backend/carmectl/portal/account_list.h"

#include <CLI/CLI.hpp>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/carmectl/portal/csv_reader.h"
#include "backend/carmectl/portal/messages.h"
#include "backend/identity/users/username.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr int64_t kMinUid = 1000;
constexpr int64_t kMaxUid = 4294967293;

// A line of RFC 2849: in base64 where the value is not plain ASCII.
std::string Line(const std::string& attribute, const std::string& value) {
  bool plain = !value.empty() && value.front() != ' ' && value.front() != ':' &&
               value.front() != '<' && value.back() != ' ';
  for (const char c : value) plain = plain && c >= ' ' && c <= '~';
  if (plain) return absl::StrCat(attribute, ": ", value, "\n");
  return absl::StrCat(attribute, ":: ", absl::Base64Escape(value), "\n");
}

}  // namespace

void AddAccountListOptions(CLI::App* command, AccountListOptions* options) {
  command
      ->add_option("file", options->file,
                   "CSV with the columns username, and name, email, uid")
      ->required();
  command->add_option("--base", options->base, "the entries' parent")
      ->required();
  command->add_option("--first-uid", options->first_uid,
                      "of the rows without a uid, counted up");
  command->add_option("--gid", options->gid, "default: the uid");
  command->add_option("--home", options->home, "the homes' parent")
      ->capture_default_str();
  command->add_option("--shell", options->shell)->capture_default_str();
}

absl::StatusOr<std::string> WriteLdif(const AccountListOptions& options) {
  ASSIGN_OR_RETURN(const std::string csv, ReadFile(options.file));
  return LdifOf(options, csv);
}

absl::StatusOr<std::string> LdifOf(const AccountListOptions& options,
                                   const std::string& csv) {
  ASSIGN_OR_RETURN(const CsvTable table, ReadCsv(csv));
  std::string ldif;
  std::set<std::string> names;
  std::set<int64_t> uids;
  int64_t next = options.first_uid;
  for (const CsvRow& row : table.rows) {
    const auto fault = [&](const std::string& what) {
      return MakePlainError(portal_messages::kInvalidLine,
                            {{"line", row.line}, {"problem", what}});
    };
    const std::string& username = row.Get("username");
    if (!IsUsername(username)) {
      return fault(absl::StrCat("\"", username, "\" cannot be a username"));
    }
    if (!names.insert(username).second) {
      return fault(absl::StrCat("\"", username, "\" is there twice"));
    }
    int64_t uid = next;
    if (!row.Get("uid").empty()) {
      if (!absl::SimpleAtoi(row.Get("uid"), &uid)) {
        return fault("uid: expected a number");
      }
    } else {
      ++next;
    }
    if (uid < kMinUid || uid > kMaxUid || !uids.insert(uid).second) {
      return fault(absl::StrCat("uid ", uid,
                                ": expected a free one of at least ", kMinUid,
                                "; see --first-uid"));
    }
    const std::string& name =
        row.Get("name").empty() ? username : row.Get("name");
    const size_t space = name.rfind(' ');
    ldif +=
        Line("dn",
             absl::StrCat("uid=", absl::StrReplaceAll(username, {{"+", "\\+"}}),
                          ",", options.base));
    for (const char* type : {"inetOrgPerson", "posixAccount"}) {
      ldif += Line("objectClass", type);
    }
    ldif += Line("uid", username);
    ldif += Line("cn", name);
    ldif +=
        Line("sn", space == std::string::npos ? name : name.substr(space + 1));
    if (!row.Get("email").empty()) ldif += Line("mail", row.Get("email"));
    ldif += Line("uidNumber", absl::StrCat(uid));
    ldif +=
        Line("gidNumber", absl::StrCat(options.gid == 0 ? uid : options.gid));
    ldif += Line("homeDirectory", absl::StrCat(options.home, "/", username));
    ldif += Line("loginShell", options.shell);
    ldif += "\n";
  }
  return ldif;
}

}  // namespace carme::carmectl
