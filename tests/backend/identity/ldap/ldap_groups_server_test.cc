// Groups in the ways that directories keep them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/identity/ldap/ldap_groups.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/slapd_server.h"

namespace carme::backend {
namespace {

constexpr char kAda[] = "uid=ada,ou=people";
constexpr char kEve[] = "uid=eve,ou=people";

// Two more levels than are walked, with dora at the bottom.
std::string Chain() {
  std::string ldif = SlapdServer::Group("level-0", {"uid=dora,ou=people"});
  for (int level = 1; level <= kMaxLdapGroupLevels + 2; ++level) {
    ldif += SlapdServer::Group(
        absl::StrCat("level-", level),
        {absl::StrCat("cn=level-", level - 1, ",ou=groups")});
  }
  return ldif;
}

std::string Entries() {
  const auto group = SlapdServer::Group;
  const std::string unique = absl::StrReplaceAll(
      group("unique", {kEve}),
      {{"groupOfNames", "groupOfUniqueNames"}, {"member:", "uniqueMember:"}});
  const std::string elsewhere = absl::StrReplaceAll(
      group("carme-users", {kEve}), {{"ou=groups", "ou=services"}});
  const std::string marked =
      "memberOf: cn=Marked,ou=groups,dc=carme,dc=test\n"
      "memberOf: cn=carme-users,ou=services,dc=carme,dc=test\n";
  return SlapdServer::Person("dora", 20008) +
         SlapdServer::Person("mark", 20009, marked) + Chain() + unique +
         elsewhere + group("team", {kAda}) +
         group("section", {"cn=team,ou=groups"}) +
         group("loop-a", {"cn=loop-b,ou=groups", kAda}) +
         group("loop-b", {"cn=loop-a,ou=groups"}) +
         group("all-hands", {"cn=carme-users,ou=groups"}) +
         group("above-marked", {"cn=Marked,ou=groups"}) +
         group("support", {kAda, "uid=carol,ou=people"}) +
         group("managers", {kAda, "uid=bob,ou=people"});
}

const SlapdServer& Slapd() {
  // The overlay's module brings the attribute memberOf.
  static const SlapdServer server(
      {.global_lines = "moduleload memberof", .entries = Entries()});
  return server;
}

LdapConfig Allowing(const std::string& group,
                    NestedGroups nested = NestedGroups::kOff) {
  LdapConfig config = Slapd().Config();
  config.allowed_group = group;
  config.nested_groups = nested;
  return config;
}

TEST_CASE("ldap groups: one that does not exist has no members", "[backend]") {
  for (const std::string group :
       {"no-such-group", "cn=no-such-group,ou=groups,dc=carme,dc=test", "",
        "carme*", "carme-users)(cn", "(cn=carme-users)"}) {
    INFO(group);
    CHECK(CodeOf(Allowing(group), "ada") == kNo);
  }
}

TEST_CASE("ldap groups: a name is looked up below the base alone",
          "[backend]") {
  const auto directory = LdapDirectory::Create(Slapd().Config()).value();
  for (const std::string name :
       {"no-such-group", "", "ada", "t*", "team)(cn=*", "marked"}) {
    INFO(name);
    CHECK(absl::IsNotFound(directory->FindGroup(name).status()));
  }
  CHECK(directory->FindGroup("team").value_or("none") == "team");
  CHECK(directory->FindGroup("TEAM").value_or("none") == "team");
  CHECK(directory->FindGroup("unique").value_or("none") == "unique");
  LdapConfig none = Slapd().Config();
  none.group_base.clear();
  CHECK(absl::IsNotFound(
      LdapDirectory::Create(none).value()->FindGroup("team").status()));
  LdapConfig away = Slapd().Config();
  away.url = "ldap://127.0.0.1:1";
  CHECK(absl::IsUnavailable(
      LdapDirectory::Create(away).value()->FindGroup("team").status()));
}

TEST_CASE("ldap groups: one of the same name elsewhere is another",
          "[backend]") {
  CHECK(CodeOf(Allowing("carme-users"), "eve") == kNo);
  LdapConfig marked = Allowing("carme-users");
  marked.member_of = true;
  CHECK(CodeOf(marked, "mark") == kNo);
  CHECK(CodeOf(Allowing("cn=carme-users,ou=services,dc=carme,dc=test"),
               "eve") == kYes);
}

TEST_CASE("ldap groups: memberOf counts where it is wanted alone",
          "[backend]") {
  LdapConfig config = Allowing("marked");
  CHECK(CodeOf(config, "mark") == kNo);
  config.member_of = true;
  CHECK(CodeOf(config, "mark") == kYes);
  CHECK(CodeOf(config, "eve") == kNo);
  config.allowed_group = "CN=marked, OU=groups,DC=carme,DC=test";
  CHECK(CodeOf(config, "mark") == kYes);
}

TEST_CASE("ldap groups: without a filter memberOf alone counts", "[backend]") {
  LdapConfig config = Allowing("carme-users");
  config.group_filter.clear();
  config.member_of = true;
  CHECK(CodeOf(config, "ada") == kNo);
  config.allowed_group = "marked";
  CHECK(CodeOf(config, "mark") == kYes);
}

TEST_CASE("ldap groups: groups in groups do not count unless wanted",
          "[backend]") {
  CHECK(CodeOf(Allowing("section"), "ada") == kNo);
  // slapd has no such rule, and knows no primary groups.
  CHECK(CodeOf(Allowing("section", NestedGroups::kInChain), "ada") == kUnclear);
}

TEST_CASE("ldap groups: the walk upwards ends", "[backend]") {
  const auto walk = NestedGroups::kWalk;
  CHECK(CodeOf(Allowing("no-such-group", walk), "ada") == kNo);  // a circle
  const std::string last = absl::StrCat("level-", kMaxLdapGroupLevels);
  CHECK(CodeOf(Allowing(last, walk), "dora") == kYes);
  const std::string beyond = absl::StrCat("level-", kMaxLdapGroupLevels + 1);
  CHECK(CodeOf(Allowing(beyond, walk), "dora") == kNo);
  CHECK(CodeOf(Allowing("section", walk), "eve") == kNo);
}

TEST_CASE("ldap groups: the walk upwards finds groups of groups", "[backend]") {
  const auto walk = NestedGroups::kWalk;
  CHECK(CodeOf(Allowing("section", walk), "ada") == kYes);
  CHECK(CodeOf(Allowing("loop-b", walk), "ada") == kYes);
  // From a group by memberUid, a primary group and memberOf.
  CHECK(CodeOf(Allowing("all-hands", walk), "bob") == kYes);
  CHECK(CodeOf(Allowing("all-hands", walk), "gil") == kYes);
  LdapConfig marked = Allowing("above-marked", walk);
  marked.member_of = true;
  CHECK(CodeOf(marked, "mark") == kYes);
  // To a group that is named by its DN, without a base.
  LdapConfig by_dn = Allowing("cn=section,ou=groups,dc=carme,dc=test", walk);
  by_dn.nested_groups = walk;
  CHECK(CodeOf(by_dn, "ada") == kYes);
}

TEST_CASE("ldap groups: by memberUid, gidNumber, member, uniqueMember and DN",
          "[backend]") {
  CHECK(CodeOf(Allowing("carme-users"), "ada") == kYes);
  CHECK(CodeOf(Allowing("CARME-users"), "gil") == kYes);  // a primary group
  CHECK(CodeOf(Allowing("team"), "ada") == kYes);
  CHECK(CodeOf(Allowing("unique"), "eve") == kYes);
  LdapConfig by_dn = Allowing("cn=carme-users,ou=groups,dc=carme,dc=test");
  CHECK(CodeOf(by_dn, "ada") == kYes);
  CHECK(CodeOf(by_dn, "eve") == kNo);
  by_dn.group_base.clear();
  by_dn.admin_group.clear();
  CHECK(CodeOf(by_dn, "ada") == kYes);
  CHECK(CodeOf(by_dn, "eve") == kNo);
  CHECK(CodeOf(Allowing("*"), "eve") == kYes);
}

TEST_CASE("ldap groups: the highest role counts", "[backend]") {
  LdapConfig config = Slapd().Config();
  config.support_group = "support";
  config.manager_group = "managers";
  const auto role = [&](const std::string& name) {
    return Check(config, name).value().person.role;
  };
  CHECK(role("gil") == Role::kUser);
  CHECK(role("bob") == Role::kManager);
  CHECK(role("ada") == Role::kSupport);  // and a manager
  CHECK(role("carol") == Role::kAdmin);  // and support
}

TEST_CASE("ldap groups: a role without the allowed group does not count",
          "[backend]") {
  LdapConfig config = Slapd().Config();
  config.admin_group = "unique";
  CHECK(CodeOf(config, "eve") == kNo);
}

TEST_CASE("ldap groups: the person has the names of those below the base",
          "[backend]") {
  LdapConfig config = Slapd().Config();
  config.allowed_group = "*";
  config.member_of = true;
  auto groups = Check(config, "mark").value().person.groups;
  CHECK(groups == std::vector<std::string>{"Marked"});
  groups = Check(config, "eve").value().person.groups;
  CHECK(groups == std::vector<std::string>{"unique"});
  groups = Check(Slapd().Config(), "bob").value().person.groups;
  std::sort(groups.begin(), groups.end());
  CHECK(groups == std::vector<std::string>{"carme-users", "managers"});
}

}  // namespace
}  // namespace carme::backend
