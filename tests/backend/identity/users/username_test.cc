#include "backend/identity/users/username.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

TEST_CASE("username: refuses invalid names", "[backend]") {
  for (const std::string name :
       {"", "-ada", "ada l", "ada\n", "*", "ada)(uid=*", "ada,ou=x", "DOM\\ada",
        "a/b", "\xc3\xa4", "ada:"}) {
    INFO(name);
    CHECK_FALSE(IsUsername(name));
  }
  CHECK_FALSE(IsUsername(std::string("ada\0", 4)));
  CHECK_FALSE(IsUsername(std::string(65, 'a')));
}

TEST_CASE("username: POSIX names and mail addresses are names", "[backend]") {
  CHECK(IsUsername("ada.l-1_x@example.org"));
  CHECK(IsUsername("_ada"));
  CHECK(IsUsername(std::string(64, 'a')));
}

}  // namespace
}  // namespace carme::backend
