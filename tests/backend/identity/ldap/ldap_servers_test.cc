#include "backend/identity/ldap/ldap_servers.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

using Addresses = std::vector<std::string>;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr absl::Duration kLong = LdapServers::kAvoidFor;

TEST_CASE("ldap servers: a failed server is used last", "[backend]") {
  LdapServers servers({"a", "b", "c"});
  servers.Failed("a", kNow);
  CHECK(servers.Order(kNow) == Addresses{"b", "c", "a"});
  CHECK(servers.Order(kNow + kLong / 2) == Addresses{"b", "c", "a"});
}

TEST_CASE("ldap servers: when all failed, all are tried", "[backend]") {
  LdapServers servers({"a", "b"});
  servers.Failed("a", kNow);
  servers.Failed("b", kNow);
  CHECK(servers.Order(kNow) == Addresses{"a", "b"});
}

TEST_CASE("ldap servers: one caller tries it again for the others",
          "[backend]") {
  LdapServers servers({"a", "b"});
  servers.Failed("a", kNow);
  CHECK(servers.Order(kNow + kLong) == Addresses{"a", "b"});
  CHECK(servers.Order(kNow + kLong) == Addresses{"b", "a"});
}

TEST_CASE("ldap servers: a server that responds again regains its position",
          "[backend]") {
  LdapServers servers({"a", "b"});
  servers.Failed("a", kNow);
  servers.Answered("a");
  CHECK(servers.Order(kNow) == Addresses{"a", "b"});
  CHECK(servers.Order(kNow) == Addresses{"a", "b"});
}

}  // namespace
}  // namespace carme::backend
