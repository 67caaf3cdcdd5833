#include "backend/rpc/server/connection_table.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/unique_fd.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

UniqueFd NewSocket() { return UniqueFd(socket(AF_INET, SOCK_STREAM, 0)); }

// As many connections of one address as are accepted, at most `wanted`.
std::vector<UniqueFd> Take(ConnectionTable* table, const std::string& address,
                           int wanted, absl::Time now = kNow) {
  std::vector<UniqueFd> taken;
  for (int i = 0; i < wanted; ++i) {
    UniqueFd fd = NewSocket();
    if (!table->Enter(address, fd.get(), now)) break;
    taken.push_back(std::move(fd));
  }
  return taken;
}

TEST_CASE("connection table: refuses what is not a socket", "[backend]") {
  ConnectionTable table({.max_connections = 10, .max_per_address = 5});
  CHECK_FALSE(table.Enter("192.0.2.1", -1, kNow));
}

TEST_CASE("connection table: an address has no more than its limit",
          "[backend]") {
  ConnectionTable table({.max_connections = 100, .max_per_address = 5});
  const auto first = Take(&table, "192.0.2.1", 50);
  CHECK(first.size() == 5);
  CHECK(Take(&table, "192.0.2.2", 1).size() == 1);
  const ConnectionCounts counts = table.counts();
  CHECK(counts.refused == 1);
  CHECK(counts.refused_address == "192.0.2.1");
}

TEST_CASE("connection table: reserves a share for other addresses",
          "[backend]") {
  ConnectionTable table({.max_connections = 400, .max_per_address = 300});
  // The first takes three quarters, the next ones a few each.
  const auto first = Take(&table, "192.0.2.1", 400);
  const auto second = Take(&table, "192.0.2.2", 400);
  CHECK(first.size() == 300);
  CHECK(second.size() == 8);
  std::vector<std::vector<UniqueFd>> late;
  for (int i = 0; i < 11; ++i) {
    late.push_back(Take(&table, "198.51.100." + std::to_string(i), 8));
    CHECK(late.back().size() == 8);
  }
  CHECK(Take(&table, "203.0.113.1", 8).size() == 4);  // all there are
  CHECK(table.counts().refused == 3);
}

TEST_CASE("connection table: closed connections do not count", "[backend]") {
  ConnectionTable table({.max_connections = 100, .max_per_address = 5});
  auto held = Take(&table, "192.0.2.1", 5);
  REQUIRE(held.size() == 5);
  held.clear();
  // Their numbers are used again, by other sockets.
  const UniqueFd others[] = {NewSocket(), NewSocket(), NewSocket()};
  CHECK(Take(&table, "192.0.2.1", 50).size() == 5);
  table.Sweep(kNow);
  CHECK(table.counts().open == 0);
  CHECK(table.counts().addresses == 0);
}

TEST_CASE("connection table: an address opens new ones at a bounded pace",
          "[backend]") {
  ConnectionTable table(
      {.max_connections = 100, .max_per_address = 10, .new_per_s = 2});
  for (int i = 0; i < 10; ++i) Take(&table, "192.0.2.1", 1).clear();
  CHECK(Take(&table, "192.0.2.1", 1).empty());
  CHECK(Take(&table, "192.0.2.2", 1).size() == 1);
  // Forgetting the address does not refill it.
  table.Sweep(kNow);
  CHECK(Take(&table, "192.0.2.1", 1).empty());
  CHECK(Take(&table, "192.0.2.1", 5, kNow + absl::Seconds(1)).size() == 2);
  table.Sweep(kNow + absl::Minutes(1));
  CHECK(Take(&table, "192.0.2.1", 50, kNow + absl::Minutes(1)).size() == 10);
}

TEST_CASE("connection table: all of the loopback network is one address",
          "[backend]") {
  const auto key = [](const char* text) {
    return ConnectionTable::AddressOf(*net::Address::Parse(text));
  };
  CHECK(key("127.0.0.1:1") == key("127.9.8.7:2"));
  CHECK(key("[::ffff:127.0.0.3]:1") == key("127.0.0.1:2"));
  CHECK(key("10.77.0.11:1") == "10.77.0.11");
  CHECK(key("10.77.0.11:1") != key("10.77.0.12:1"));
  CHECK(key("[::1]:1") != key("127.0.0.1:2"));
}

}  // namespace
}  // namespace carme::backend
