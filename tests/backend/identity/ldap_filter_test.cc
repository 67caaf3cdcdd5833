#include "backend/identity/ldap_filter.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

TEST_CASE("ldap filter: what means something is escaped", "[backend]") {
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
