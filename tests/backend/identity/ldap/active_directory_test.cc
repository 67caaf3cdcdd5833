#include "backend/identity/ldap/active_directory.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/escaping.h"

namespace carme::backend {
namespace {

// S-1-5-21-1-2-256-1105.
std::string Sid() {
  return absl::HexStringToBytes(
      "0105000000000005"
      "15000000010000000200000000010000"
      "51040000");
}

absl::Time At(int year) {
  return absl::FromCivil(absl::CivilDay(year, 1, 1), absl::UTCTimeZone());
}

TEST_CASE("active directory: an invalid SID has no primary group",
          "[backend]") {
  const std::string sid = Sid();
  CHECK_FALSE(PrimaryGroupSid("", "513"));
  CHECK_FALSE(PrimaryGroupSid(sid.substr(0, 8), "513"));
  CHECK_FALSE(PrimaryGroupSid(sid.substr(0, sid.size() - 1), "513"));
  CHECK_FALSE(PrimaryGroupSid(sid + std::string(4, '\0'), "513"));
  CHECK_FALSE(PrimaryGroupSid("\2" + sid.substr(1), "513"));
  CHECK_FALSE(PrimaryGroupSid("\1\20" + sid.substr(2), "513"));
  for (const std::string group : {"", "-1", "x", "4294967296"}) {
    CHECK_FALSE(PrimaryGroupSid(sid, group));
  }
}

TEST_CASE("active directory: a primary group is of the person's domain",
          "[backend]") {
  CHECK(PrimaryGroupSid(Sid(), "513") == "S-1-5-21-1-2-256-513");
}

TEST_CASE("active directory: unusable accounts", "[backend]") {
  const std::string in_2020 = "132223104000000000";
  CHECK(AccountProblem("514", "", At(2026)) == "account disabled");
  CHECK(AccountProblem("66050", "0", At(2026)) == "account disabled");
  CHECK(AccountProblem("512", in_2020, At(2020)) == "account expired");
  CHECK(AccountProblem("512", in_2020, At(2026)) == "account expired");
  CHECK_FALSE(AccountProblem("on", "", At(2026)).empty());
  CHECK_FALSE(AccountProblem("512", "never", At(2026)).empty());
}

TEST_CASE("active directory: accounts that are in use", "[backend]") {
  CHECK(AccountProblem("", "", At(2026)).empty());
  CHECK(AccountProblem("512", "0", At(2026)).empty());
  CHECK(AccountProblem("-2147483136", "9223372036854775807", At(2026)).empty());
  CHECK(AccountProblem("512", "132223104000000001", At(2020)).empty());
}

TEST_CASE("active directory: a password in its encoding", "[backend]") {
  using std::string_literals::operator""s;
  CHECK_FALSE(EncodeUnicodePwd("\xff"));
  CHECK_FALSE(EncodeUnicodePwd("caf\xc3"));
  CHECK_FALSE(EncodeUnicodePwd("\xed\xa0\x80"));  // half of a pair
  CHECK(EncodeUnicodePwd("a\"") == "\"\0a\0\"\0\"\0"s);
  CHECK(EncodeUnicodePwd("é€") == "\"\0\xe9\0\xac\x20\"\0"s);
  CHECK(EncodeUnicodePwd("😀") == "\"\0\x3d\xd8\x00\xde\"\0"s);
}

}  // namespace
}  // namespace carme::backend
