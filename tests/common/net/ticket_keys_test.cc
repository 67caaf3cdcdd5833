#include "common/net/tls/ticket_keys.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/support/temp_dir.h"

namespace carme::net {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("ticket keys: a file that others may read is refused", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  REQUIRE(TicketKeys::Open(path, kNow).ok());
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  CHECK(TicketKeys::Open(path, kNow).status().code() ==
        absl::StatusCode::kPermissionDenied);
}

TEST_CASE("ticket keys: a file that makes no sense is replaced", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  for (const char* text : {"x", "17 x\n", "AAAA\n", " \n", "1800000000\n"}) {
    INFO(text);
    REQUIRE(WriteFile(path, text, 0600).ok());
    auto keys = TicketKeys::Open(path, kNow);
    REQUIRE(keys.ok());
    auto again = TicketKeys::Open(path, kNow);
    REQUIRE(again.ok());
    CHECK((*again)->Find(true, (*keys)->Newest(true)->name) != nullptr);
  }
}

TEST_CASE("ticket keys: those of TLS 1.2 never reach the file", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  auto keys = TicketKeys::Open(path, kNow);
  REQUIRE(keys.ok());
  const std::string name12 = (*keys)->Newest(false)->name;
  const std::string name13 = (*keys)->Newest(true)->name;
  CHECK(name12 != name13);
  CHECK((*keys)->Find(true, name12) == nullptr);
  CHECK((*keys)->Find(false, name13) == nullptr);
  auto again = TicketKeys::Open(path, kNow);
  REQUIRE(again.ok());
  CHECK((*again)->Find(false, name12) == nullptr);
  CHECK((*again)->Find(true, name13) != nullptr);
  CHECK((*again)->Newest(true)->name == name13);
}

TEST_CASE("ticket keys: one seals for its life and opens as long again",
          "[net]") {
  TempDir directory;
  auto keys = TicketKeys::Open(directory.File("session.keys"), kNow);
  REQUIRE(keys.ok());
  const absl::Duration life = TicketKeys::kLife, second = absl::Seconds(1);
  for (bool tls13 : {true, false}) {
    INFO(tls13);
    auto fresh = TicketKeys::Open("", kNow);
    REQUIRE(fresh.ok());
    const std::string first = (*fresh)->Newest(tls13)->name;
    REQUIRE((*fresh)->Refresh(kNow + life - second).ok());
    CHECK((*fresh)->Newest(tls13)->name == first);
    REQUIRE((*fresh)->Refresh(kNow + life).ok());
    CHECK((*fresh)->Newest(tls13)->name != first);
    CHECK((*fresh)->Find(tls13, first) != nullptr);
    REQUIRE((*fresh)->Refresh(kNow + 2 * life).ok());
    CHECK((*fresh)->Find(tls13, first) == nullptr);
  }
  // A clock that went back by days does not keep one for ever.
  const std::string ahead = (*keys)->Newest(true)->name;
  REQUIRE((*keys)->Refresh(kNow - absl::Hours(48)).ok());
  CHECK((*keys)->Find(true, ahead) == nullptr);
}

TEST_CASE("ticket keys: two processes open each other's", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  auto a = TicketKeys::Open(path, kNow);
  REQUIRE(a.ok());
  auto b = TicketKeys::Open(path, kNow);
  REQUIRE(b.ok());
  const absl::Time later = kNow + TicketKeys::kLife;
  REQUIRE((*a)->Refresh(later).ok());
  REQUIRE((*b)->Refresh(later).ok());
  // The second took the first one's new key and made none of its own.
  CHECK((*a)->Newest(true)->name == (*b)->Newest(true)->name);
}

}  // namespace
}  // namespace carme::net
