#include "backend/identity/ldap/ldap_name.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

TEST_CASE("ldap name: refuses malformed DNs", "[backend]") {
  for (const std::string dn : {"", "users", "cn=a,", "cn=a,,dc=t", "=a"}) {
    INFO(dn);
    CHECK_FALSE(CanonicalDn(dn));
  }
  CHECK_FALSE(CanonicalDn(std::string("cn=a\0,dc=t", 10)));
}

TEST_CASE("ldap name: a comma in a value ends no name", "[backend]") {
  const auto base = CanonicalDn("ou=groups,dc=t");
  const auto inside = CanonicalDn("cn=admins\\,ou=groups,dc=t");
  REQUIRE(base);
  REQUIRE(inside);
  CHECK_FALSE(IsBelow(*inside, *base));
  CHECK_FALSE(IsBelow(CanonicalDn("cn=a,xou=groups,dc=t").value(), *base));
  CHECK_FALSE(IsBelow(*base, *base));
  CHECK_FALSE(IsBelow(*inside, ""));
}

TEST_CASE("ldap name: spellings of one DN are one", "[backend]") {
  const auto plain = CanonicalDn("cn=Admins,ou=Groups,dc=T");
  REQUIRE(plain);
  CHECK(CanonicalDn("CN=admins, OU=groups , DC=t") == plain);
  CHECK(CanonicalDn("cn=\\41dmins,ou=groups,dc=t") == plain);
  CHECK(CanonicalDn("cn=admin,ou=groups,dc=t") != plain);
  CHECK(IsBelow(*plain, CanonicalDn("ou=groups,dc=t").value()));
  CHECK(IsBelow(*plain, CanonicalDn("dc=t").value()));
}

TEST_CASE("ldap name: the leading cn is the name of a group", "[backend]") {
  CHECK(LeadingCn("CN=HPC Users,OU=g,DC=t") == "HPC Users");
  CHECK(LeadingCn("cn=a\\,b,dc=t") == "a,b");
  CHECK(LeadingCn("ou=g,dc=t").empty());
  CHECK(LeadingCn("nonsense").empty());
}

TEST_CASE("ldap name: an attribute has a plain name", "[backend]") {
  CHECK(IsAttributeName("sAMAccountName"));
  for (const std::string name :
       {"", "uid)", "1uid", "memberOf;range=0-1", "*"}) {
    INFO(name);
    CHECK_FALSE(IsAttributeName(name));
  }
}

TEST_CASE("ldap name: an invalid range is ignored", "[backend]") {
  for (const std::string name :
       {"", "memberof", "memberof;range=", "memberof;range=5",
        "memberof;range=-", "memberof;range=a-b", "memberof;range=5-4",
        "memberof;range=-1-4", "memberof;range=0-99999999999",
        "memberof;range=*-*"}) {
    INFO(name);
    CHECK_FALSE(ParseLdapRange(name));
  }
}

TEST_CASE("ldap name: a range of an attribute's values", "[backend]") {
  const auto part = ParseLdapRange("memberof;range=1500-2999");
  REQUIRE(part);
  CHECK(part->attribute == "memberof");
  CHECK(part->first == 1500);
  CHECK(part->last == 2999);
  const auto end = ParseLdapRange("memberof;range=3000-*");
  REQUIRE(end);
  CHECK(end->first == 3000);
  CHECK_FALSE(end->last);
}

TEST_CASE("ldap filter: escapes special characters", "[backend]") {
  CHECK(EscapeFilterValue("a*(b)\\c") == "a\\2a\\28b\\29\\5cc");
  CHECK(EscapeFilterValue(std::string("a\0b", 3)) == "a\\00b");
  CHECK(EscapeFilterValue("&|!<>~") == "\\26\\7c\\21\\3c\\3e\\7e");
  CHECK(EscapeFilterValue("\xc3\xa9") == "\\c3\\a9");
}

TEST_CASE("ldap filter: plain names and DNs stay readable", "[backend]") {
  CHECK(EscapeFilterValue("ada.l_1-x") == "ada.l_1-x");
  CHECK(EscapeFilterValue("uid=ada,ou=people") == "uid=ada,ou=people");
}

TEST_CASE("ldap filter: a value is not filled in again", "[backend]") {
  CHECK(FillFilter("(a=%s)(b=%d)", {{'s', "%d"}, {'d', "x"}}) ==
        "(a=\\25d)(b=x)");
}

TEST_CASE("ldap filter: every place is filled, others stay", "[backend]") {
  CHECK(FillFilter("(|(a=%s)(b=%s)(c=%x)%", {{'s', "u"}}) ==
        "(|(a=u)(b=u)(c=%x)%");
}

}  // namespace
}  // namespace carme::backend
