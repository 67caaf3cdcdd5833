#include "common/net/networks.h"

#include <catch2/catch.hpp>

namespace carme::net {
namespace {

bool Contains(const Networks& networks, const char* ip) {
  return networks.Contains(*Address::FromIp(ip, 1));
}

TEST_CASE("networks: refuses invalid networks", "[net]") {
  for (const char* text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x",
        "10.0.0.1/8", "10.0.0.0/8/8", "example.org", "10/8", "2001:db8::/129",
        "2001:db8::1/32", "::ffff:10.0.0.1/97", "[::1]"}) {
    INFO(text);
    CHECK_FALSE(Networks::Parse({text}).ok());
  }
}

TEST_CASE("networks: an address lies in them or beside them", "[net]") {
  const Networks networks =
      *Networks::Parse({"10.1.0.0/16", "192.0.2.7", "198.51.100.128/25",
                        "2001:db8::/33", "fe80::1"});
  for (const char* ip : {"10.1.0.0", "10.1.255.255", "192.0.2.7",
                         "198.51.100.128", "198.51.100.255", "2001:db8::",
                         "2001:db8:7fff::1", "fe80::1", "::ffff:10.1.2.3"}) {
    INFO(ip);
    CHECK(Contains(networks, ip));
  }
  for (const char* ip :
       {"10.0.255.255", "10.2.0.0", "192.0.2.6", "192.0.2.8", "198.51.100.127",
        "2001:db8:8000::", "2001:db7::", "fe80::2", "::10.1.2.3",
        "::ffff:10.2.0.0", "0.0.0.0", "::"}) {
    INFO(ip);
    CHECK_FALSE(Contains(networks, ip));
  }
  CHECK_FALSE(networks.Contains(*Address::FromPath("/run/x")));
  CHECK_FALSE(Contains(Networks(), "10.1.0.0"));
  CHECK(Contains(*Networks::Parse({"0.0.0.0/0"}), "203.0.113.9"));
  CHECK_FALSE(Contains(*Networks::Parse({"0.0.0.0/0"}), "2001:db8::1"));
  CHECK(Contains(*Networks::Parse({"::/0"}), "203.0.113.9"));
}

}  // namespace
}  // namespace carme::net
