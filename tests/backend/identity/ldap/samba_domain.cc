#include "tests/backend/identity/ldap/samba_domain.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace carme::backend {
namespace {

std::string Rdns(const std::string& person) {
  return absl::StrCat("CN=Dr. ", person, ",OU=People");
}

std::string Number(int number) {
  return absl::StrCat("uidNumber: ", number, "\n");
}

std::string People() {
  const auto person = SambaServer::Person;
  return person("ada", Number(20001)) + person("Grace", Number(20002)) +
         person("deep", Number(20003)) + person("many", Number(20004)) +
         person("guest1", Number(20005)) + person("nouid", "") +
         person("twin", Number(20006)) + person("twin2", Number(20006)) +
         person("disabled", Number(20007) + "userAccountControl: 514\n") +
         // the first second of 1970
         person("left",
                Number(20008) + "accountExpires: 116444736000000000\n") +
         person("locked", Number(20009)) + person("expired", Number(20010)) +
         person("reset", Number(20011) + "pwdLastSet: 0\n") +
         person("expired2", Number(20012)) +
         person("reset2", Number(20013) + "pwdLastSet: 0\n") +
         person("short", Number(20014)) + person("simple", Number(20015)) +
         person("history", Number(20016)) + person("young", Number(20017)) +
         person("changer", Number(20018)) + person("unicode", Number(20019)) +
         person("starttls", Number(20020));
}

// Set at the beginning of 2020.
std::string OldPassword(const std::string& person) {
  return absl::StrCat("dn: ", SambaServer::DnOf(person),
                      "\nchangetype: modify\nreplace: pwdLastSet\n"
                      "pwdLastSet: 132223104000000000\n\n");
}

std::string Rules() {
  const auto rules = SambaServer::Rules;
  return rules("locked", {.lockout_after = 3}) +
         rules("short", {.min_length = 40}) +
         rules("simple", {.complex = true}) + rules("history", {.history = 5}) +
         rules("young", {.min_age_s = 86400});
}

// A chain above "deep"; "everybody" above those whose primary group is Domain
// Users, which is everybody but "guest1".
std::string Groups() {
  const auto group = SambaServer::Group;
  const std::string base = SambaServer::kBase;
  std::string ldif = group("level-0", {Rdns("deep")});
  for (int level = 1; level <= 3; ++level) {
    ldif += group(absl::StrCat("level-", level),
                  {absl::StrCat("CN=level-", level - 1, ",OU=Groups")});
  }
  return ldif + group("everybody", {"CN=Domain Users,CN=Users"}) +
         absl::StrReplaceAll(group("elsewhere", {Rdns("ada")}),
                             {{"OU=Groups", "OU=Services"}}) +
         "dn: CN=Domain Guests,CN=Users," + base +
         "\nchangetype: modify\nadd: member\nmember: " + Rdns("guest1") + "," +
         base + "\n\ndn: " + SambaServer::DnOf("guest1") +
         "\nchangetype: modify\nreplace: primaryGroupID\nprimaryGroupID: 514\n"
         "\ndn: CN=Domain Users,CN=Users," +
         base +
         "\nchangetype: modify\ndelete: member\nmember: " + Rdns("guest1") +
         "," + base + "\n\n";
}

// In a unit of their own: Samba looks into all members of all groups below
// group_base, at each question for groups in groups.
std::string ManyGroups() {
  std::string ldif = absl::StrCat("dn: OU=Many,", SambaServer::kBase,
                                  "\nobjectClass: organizationalUnit\n\n");
  for (size_t i = 0; i < kManyGroups; ++i) {
    ldif += SambaServer::Group(absl::StrCat("group-", i), {Rdns("many")});
  }
  return absl::StrReplaceAll(ldif, {{"OU=Groups", "OU=Many"}});
}

}  // namespace

const SambaServer& Samba() {
  static const SambaServer server(People() + OldPassword("expired") +
                                  OldPassword("expired2") + Rules() + Groups() +
                                  ManyGroups());
  return server;
}

std::vector<std::string> Sorted(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace carme::backend
