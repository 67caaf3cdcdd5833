// The schema of Active Directory, in a slapd that stands in for it.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// Microsoft's names and numbers ([MS-ADA1] to [MS-ADSC]), with the matching
// rules that a domain controller applies to them.
constexpr char kSchema[] =
    "attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName'\n"
    " EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15\n"
    " SINGLE-VALUE )\n"
    "attributetype ( 1.2.840.113556.1.4.656 NAME 'userPrincipalName'\n"
    " EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15\n"
    " SINGLE-VALUE )\n"
    "attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl'\n"
    " EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27\n"
    " SINGLE-VALUE )\n"
    "attributetype ( 1.2.840.113556.1.2.102 NAME 'memberOf'\n"
    " EQUALITY distinguishedNameMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )\n"
    "objectclass ( 1.2.840.113556.1.5.9 NAME 'user'\n"
    " SUP organizationalPerson STRUCTURAL MUST sAMAccountName\n"
    " MAY ( userPrincipalName $ userAccountControl $ memberOf $ displayName $\n"
    " uidNumber $ gidNumber ) )\n"
    "objectclass ( 1.2.840.113556.1.5.8 NAME 'group' SUP top STRUCTURAL\n"
    " MUST cn MAY ( member $ memberOf $ sAMAccountName ) )\n";

constexpr char kNormal[] = "512";
constexpr char kDisabled[] = "514";  // ACCOUNTDISABLE is the bit 2

std::string User(const std::string& name, int uid, const std::string& control,
                 const std::string& more) {
  return absl::StrCat("dn: cn=Dr. ", name, ",ou=people,", SlapdServer::kBase,
                      "\nobjectClass: user\ncn: Dr. ", name, "\nsn: ", name,
                      "\nsAMAccountName: ", name, "\nuserPrincipalName: ", name,
                      "@example.org\nuserAccountControl: ", control,
                      "\nuidNumber: ", uid, "\nuserPassword: password of ",
                      name, "\n", more, "\n");
}

std::string MemberOf(const std::string& rdns) {
  return absl::StrCat("memberOf: ", rdns, ",", SlapdServer::kBase, "\n");
}

std::string Group(const std::string& rdns, const std::string& name,
                  const std::string& more) {
  return absl::StrCat("dn: ", rdns, ",", SlapdServer::kBase,
                      "\nobjectClass: group\ncn: ", name, "\n", more, "\n");
}

std::string Entries() {
  const std::string users = "cn=HPC Users,ou=groups";
  return User("Grace", 30001, kNormal, MemberOf(users)) +
         User("gone", 30002, kDisabled, MemberOf(users)) +
         User("nested", 30003, kNormal, MemberOf("cn=Team,ou=groups")) +
         User("outside", 30004, kNormal, MemberOf("cn=HPC Users,ou=guests")) +
         User("boss", 30005, kNormal,
              MemberOf(users) + MemberOf("cn=HPC Admins,ou=groups")) +
         Group(users, "HPC Users",
               absl::StrCat("member: cn=Dr. Grace,ou=people,",
                            SlapdServer::kBase, "\nmember: cn=Team,ou=groups,",
                            SlapdServer::kBase, "\n")) +
         Group("cn=Team,ou=groups", "Team", MemberOf(users)) +
         Group("cn=HPC Admins,ou=groups", "HPC Admins", "") +
         Group("cn=HPC Users,ou=guests", "HPC Users", "");
}

const SlapdServer& Slapd() {
  static const SlapdServer server(
      {.global_lines = kSchema, .entries = Entries()});
  return server;
}

// A person for whom slapo-retcode responds like a domain controller. It does
// not look at the password.
std::string Answered(const std::string& name, int uid,
                     const std::string& code) {
  return absl::StrReplaceAll(
      SlapdServer::Person(
          name, uid,
          absl::StrCat("errOp: bind\nerrCode: 49\nerrText: 80090308: LdapErr: "
                       "DSID-0C09044E, comment: AcceptSecurityContext error, "
                       "data ",
                       code, ", v2580\n")),
      {{"objectClass: posixAccount",
        "objectClass: posixAccount\nobjectClass: errAuxObject"}});
}

std::string AnsweredEntries() {
  return Answered("wrong", 20030, "52e") + Answered("expired", 20031, "532") +
         Answered("disabled", 20032, "533") + Answered("left", 20033, "701") +
         Answered("reset", 20034, "773") + Answered("locked", 20035, "775");
}

// Its persons are OpenLDAP's, its answers to their binds a domain controller's.
LdapConfig AnsweringConfig() {
  static const SlapdServer server(
      {.global_lines = "moduleload retcode",
       .access_lines =
           "access to attrs=entry,objectClass,errCode,errText,errOp "
           "by * read",
       .database_lines = "overlay retcode\nretcode-indir\n"
                         "retcode-parent \"ou=codes,dc=carme,dc=test\"",
       .entries = AnsweredEntries()});
  LdapConfig config = server.Config();
  config.allowed_group = "*";
  return config;
}

// As deploy/config/backend.toml has it for Active Directory.
LdapConfig Config() {
  LdapConfig config = Slapd().Config();
  config.user_filter =
      "(&(objectClass=user)(|(sAMAccountName=%s)(userPrincipalName=%s))"
      "(!(userAccountControl:1.2.840.113556.1.4.803:=2)))";
  config.name_attribute = "sAMAccountName";
  config.group_filter = "";
  config.member_of = true;
  config.allowed_group = "HPC Users";
  config.admin_group = "HPC Admins";
  return config;
}

TEST_CASE("active directory: an account that is disabled is refused",
          "[backend]") {
  CHECK(CodeOf(Config(), "gone") == kNo);
  CHECK_THAT(LookUp(Config(), "gone"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_CASE("active directory: a group of that name elsewhere does not count",
          "[backend]") {
  CHECK(CodeOf(Config(), "outside") == kNo);
}

TEST_CASE("active directory: a group in a group does not count unasked",
          "[backend]") {
  CHECK(CodeOf(Config(), "nested") == kNo);
}

TEST_CASE("active directory: an account has its one name, however it is typed",
          "[backend]") {
  for (const std::string typed :
       {"grace", "GRACE", "Grace", "grace@example.org", "GRACE@Example.Org"}) {
    INFO(typed);
    const auto check = Check(Config(), typed, "password of Grace");
    REQUIRE_THAT(check, IsOk());
    CHECK(check->person.username == "Grace");
    CHECK(check->person.uid == Uid(30001));
    CHECK(check->person.display_name == "Dr. Grace");
  }
}

TEST_CASE("active directory: groups are those of memberOf", "[backend]") {
  const auto boss = Check(Config(), "boss");
  REQUIRE_THAT(boss, IsOk());
  CHECK(boss->person.role == Role::kAdmin);
  CHECK(boss->person.groups ==
        std::vector<std::string>{"HPC Users", "HPC Admins"});
}

TEST_CASE("active directory: groups in groups by a walk upwards", "[backend]") {
  LdapConfig config = Config();
  config.nested_groups = NestedGroups::kWalk;
  CHECK(CodeOf(config, "nested") == kYes);
  CHECK(CodeOf(config, "outside") == kNo);
}

TEST_CASE("active directory: accounts that it refuses are refused",
          "[backend]") {
  const LdapConfig config = AnsweringConfig();
  CHECK(CodeOf(config, "ada") == kYes);
  for (const std::string name : {"wrong", "disabled", "left", "locked"}) {
    INFO(name);
    CHECK(CodeOf(config, name) == kNo);
  }
}

TEST_CASE("active directory: a password that expired or must change",
          "[backend]") {
  const LdapConfig config = AnsweringConfig();
  for (const std::string name : {"expired", "reset"}) {
    INFO(name);
    const auto check = Check(config, name);
    REQUIRE_THAT(check, IsOk());
    CHECK(check->must_change);
    CHECK(absl::StrContains(check->message, "ask your administrator"));
    auto directory = LdapDirectory::Create(config);
    REQUIRE_THAT(directory, IsOk());
    CHECK_THAT(
        (*directory)
            ->ChangePassword(name, "password of " + name, "correct horse 9"),
        StatusIs(absl::StatusCode::kFailedPrecondition));
  }
}

}  // namespace
}  // namespace carme::backend
