// Which entries of the directory are persons, and their display names.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_replace.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

std::string Entries() {
  const auto person = [](const std::string& name, int uid,
                         const std::string& more = "") {
    return SlapdServer::Person(name, uid, more);
  };
  const std::string no_posix =
      absl::StrReplaceAll(person("nouid", 20017, "mail: nouid@example.org\n"),
                          {{"objectClass: posixAccount\n", ""},
                           {"uidNumber: 20017\n", ""},
                           {"gidNumber: 20017\n", ""},
                           {"homeDirectory: /home/nouid\n", ""}});
  const std::string two_names =
      absl::StrReplaceAll(person("anna", 20012, "mail: anna@example.org\n"),
                          {{"\nuid: anna\n", "\nuid: anna\nuid: annette\n"}});
  return person("low", 999) + person("one", 20010) + person("other", 20010) +
         person("MiXed", 20011, "mail: mixed@example.org\n") + two_names +
         person("marks", 20013,
                "displayName:: 4oCuZXZpbA==\n") +  // U+202E, then "evil"
         person("daemon", 20014) +
         person("ghost-of-carme", 20015) + person("Daemon2", 20016) + no_posix;
}

const SlapdServer& Slapd() {
  static const SlapdServer server({.entries = Entries()});
  return server;
}

LdapConfig Everybody() {
  LdapConfig config = Slapd().Config();
  config.allowed_group = "*";
  return config;
}

TEST_CASE("ldap people: two entries of one name are refused", "[backend]") {
  LdapConfig config = Slapd().Config();
  CHECK(CodeOf(config, "twin") == kYes);
  config.user_base = SlapdServer::kBase;
  CHECK(CodeOf(config, "twin") == kNo);
  CHECK_THAT(LookUp(config, "twin"), StatusIs(kUnclear));
}

TEST_CASE("ldap people: two entries of one uid are both refused", "[backend]") {
  CHECK(CodeOf(Everybody(), "one") == kNo);
  CHECK(CodeOf(Everybody(), "other") == kNo);
}

TEST_CASE("ldap people: root, a low uid and none are refused", "[backend]") {
  LdapConfig config = Everybody();
  CHECK(CodeOf(config, "root0") == kNo);
  CHECK(CodeOf(config, "low") == kNo);
  config.user_filter = "(uid=%s)";
  CHECK(CodeOf(config, "nouid") == kNo);
  config.min_uid = 1;
  CHECK(CodeOf(config, "root0") == kNo);
  CHECK(CodeOf(config, "low") == kYes);
}

TEST_CASE("ldap people: an entry without a proper name is refused",
          "[backend]") {
  LdapConfig config = Everybody();
  config.name_attribute = "cn";  // "Dr. ada"
  CHECK(CodeOf(config, "ada") == kNo);
  config.name_attribute = "mail";  // there is none
  CHECK(CodeOf(config, "ada") == kNo);
}

TEST_CASE("ldap people: refuses other attributes and ambiguous names",
          "[backend]") {
  LdapConfig config = Everybody();
  config.user_filter = "(|(uid=%s)(mail=%s))";
  CHECK_THAT(Check(config, "anna@example.org", "password of anna"),
             StatusIs(kNo));
  CHECK(CodeOf(config, "anna") == kYes);
  const auto mixed = Check(config, "mixed@example.org", "password of MiXed");
  REQUIRE_THAT(mixed, IsOk());
  CHECK(mixed->person.username == "MiXed");
}

TEST_CASE("ldap people: a name has the directory's spelling", "[backend]") {
  const auto mixed = Check(Everybody(), "mIxEd", "password of MiXed");
  REQUIRE_THAT(mixed, IsOk());
  CHECK(mixed->person.username == "MiXed");
  const auto annette = Check(Everybody(), "ANNETTE", "password of anna");
  REQUIRE_THAT(annette, IsOk());
  CHECK(annette->person.username == "annette");
}

TEST_CASE("ldap people: a display name has no misleading characters",
          "[backend]") {
  const auto marks = Check(Everybody(), "marks");
  REQUIRE_THAT(marks, IsOk());
  CHECK(marks->person.display_name == "?evil");
}

TEST_CASE("ldap people: refuses users unknown to the name service",
          "[backend]") {
  LdapConfig config = Everybody();
  config.uid_source = UidSource::kNss;
  CHECK(CodeOf(config, "ghost-of-carme") == kNo);
  CHECK(CodeOf(config, "nobody-at-all") == kNo);
  // uid 1 on every Debian
  CHECK(CodeOf(config, "daemon") == kNo);
}

TEST_CASE("ldap people: the uid can be the name service's", "[backend]") {
  LdapConfig config = Everybody();
  config.uid_source = UidSource::kNss;
  config.min_uid = 1;
  const auto daemon = Check(config, "DAEMON", "password of daemon");
  REQUIRE_THAT(daemon, IsOk());
  CHECK(daemon->person.uid == Uid(1));
  CHECK(daemon->person.username == "daemon");
}

TEST_CASE("ldap people: a look-up refuses the users that a login refuses",
          "[backend]") {
  const LdapConfig config = Slapd().Config();
  for (const std::string name :
       {"", "*", "nobody-at-all", "eve", "root0", "ada)(uid=*"}) {
    INFO(name);
    CHECK_THAT(LookUp(config, name), StatusIs(absl::StatusCode::kNotFound));
  }
}

TEST_CASE("ldap people: an indeterminate look-up is an error, not a no",
          "[backend]") {
  LdapConfig config = Everybody();
  CHECK_THAT(LookUp(config, "one"), StatusIs(kUnclear));
  config.user_base = "ou=no-such-people,dc=carme,dc=test";
  CHECK_THAT(LookUp(config, "ada"), StatusIs(kUnclear));
  CHECK(CodeOf(config, "ada") == kUnclear);
  config = Everybody();
  config.group_base = "ou=no-such-groups,dc=carme,dc=test";
  CHECK_THAT(LookUp(config, "ada"), StatusIs(kUnclear));
  config = Everybody();
  config.uid_source = UidSource::kNss;
  CHECK_THAT(LookUp(config, "ghost-of-carme"), StatusIs(kUnclear));
  CHECK_THAT(LookUp(config, "nobody-at-all"),
             StatusIs(absl::StatusCode::kNotFound));
  config = Everybody();
  config.url = "ldaps://127.0.0.1:1";
  CHECK_THAT(LookUp(config, "ada"), StatusIs(kUnclear));
}

TEST_CASE("ldap people: a look-up returns the same user as a login",
          "[backend]") {
  const auto carol = LookUp(Slapd().Config(), "CAROL");
  REQUIRE_THAT(carol, IsOk());
  CHECK(carol->username == "carol");
  CHECK(carol->uid == Uid(20003));
  CHECK(carol->role == Role::kAdmin);
}

TEST_CASE("ldap people: the address for mails is the entry's, or none",
          "[backend]") {
  LdapConfig config = Everybody();
  CHECK(LookUp(config, "MiXed")->mail == "mixed@example.org");
  CHECK(LookUp(config, "ada")->mail.empty());
  config.mail_attribute = "sn";
  CHECK(LookUp(config, "MiXed")->mail == "MiXed");
  config.mail_attribute = "";
  CHECK(LookUp(config, "MiXed")->mail.empty());
}

}  // namespace
}  // namespace carme::backend
