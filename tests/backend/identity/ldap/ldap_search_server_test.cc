// Names of users and groups by their beginning.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr int kMany = 30;

std::string Entries() {
  std::string ldif = SlapdServer::Group("physics", {"uid=ada,ou=people"}) +
                     SlapdServer::Group("Philosophy", {"uid=bob,ou=people"});
  for (int i = 0; i < kMany; ++i) {
    ldif += SlapdServer::Person(absl::StrCat("many", 10 + i), 21000 + i);
  }
  return ldif;
}

LdapDirectory& Searched() {
  static const SlapdServer server({.entries = Entries()});
  static const auto directory = LdapDirectory::Create(server.Config()).value();
  return *directory;
}

using Names = std::vector<std::string>;

Names NamesOf(const absl::StatusOr<DirectoryNames>& found) {
  REQUIRE_THAT(found, IsOk());
  Names names;
  for (const DirectoryName& name : found->names) names.push_back(name.name);
  return names;
}

TEST_CASE("ldap search: a text is never a filter", "[backend]") {
  LdapDirectory& directory = Searched();
  for (const std::string text :
       {"*", "a*", "ada)(uid=*", "(uid=ada)", "no-such-name", "\\2a", "%s"}) {
    INFO(text);
    CHECK(NamesOf(directory.SearchUsers(text, 50)).empty());
    CHECK(NamesOf(directory.SearchGroups(text, 50)).empty());
  }
}

TEST_CASE("ldap search: a directory that does not respond is an error",
          "[backend]") {
  static const SlapdServer server;
  LdapConfig away = server.Config();
  away.url = "ldap://127.0.0.1:1";
  const auto directory = LdapDirectory::Create(away).value();
  CHECK(absl::IsUnavailable(directory->SearchUsers("a", 50).status()));
  CHECK(absl::IsUnavailable(directory->SearchGroups("a", 50).status()));
}

TEST_CASE("ldap search: accounts that may not be users are left out",
          "[backend]") {
  CHECK(NamesOf(Searched().SearchUsers("root", 50)).empty());
}

TEST_CASE("ldap search: finds users and groups by their beginning",
          "[backend]") {
  LdapDirectory& directory = Searched();
  CHECK(NamesOf(directory.SearchUsers("ad", 50)) == Names{"ada"});
  CHECK(NamesOf(directory.SearchUsers("AD", 50)) == Names{"ada"});
  CHECK(NamesOf(directory.SearchUsers("da", 50)).empty());
  CHECK(NamesOf(directory.SearchUsers("twin", 50)) == Names{"twin"});
  CHECK(NamesOf(directory.SearchGroups("ph", 50)) ==
        Names{"Philosophy", "physics"});
  CHECK(NamesOf(directory.SearchGroups("ada", 50)).empty());
  static const SlapdServer server;
  LdapConfig none = server.Config();
  none.group_base.clear();
  CHECK(NamesOf(LdapDirectory::Create(none).value()->SearchGroups("", 50))
            .empty());
}

TEST_CASE("ldap search: says that there are more than asked for", "[backend]") {
  LdapDirectory& directory = Searched();
  const auto some = directory.SearchUsers("many", 10);
  CHECK(NamesOf(some).size() == 10);
  CHECK(some->more);
  const auto all = directory.SearchUsers("many", kMany);
  CHECK(NamesOf(all).size() == kMany);
  CHECK_FALSE(all->more);
  CHECK(directory.SearchUsers("", 5)->more);
  CHECK(directory.SearchGroups("", 1)->more);
}

}  // namespace
}  // namespace carme::backend
