#include "common/net/tls/ticket_keys.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::net {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("ticket keys: a file that others may read is refused", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  REQUIRE_THAT(TicketKeys::Open(path, kNow), IsOk());
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  CHECK_THAT(TicketKeys::Open(path, kNow),
             StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_CASE("ticket keys: a file that makes no sense is replaced", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  for (const char* text : {"x", "17 x\n", "AAAA\n", " \n", "1800000000\n"}) {
    INFO(text);
    REQUIRE_THAT(WriteFile(path, text, 0600), IsOk());
    auto keys = TicketKeys::Open(path, kNow);
    REQUIRE_THAT(keys, IsOk());
    auto again = TicketKeys::Open(path, kNow);
    REQUIRE_THAT(again, IsOk());
    CHECK((*again)->Find(true, (*keys)->Newest(true)->name) != nullptr);
  }
}

TEST_CASE("ticket keys: those of TLS 1.2 never reach the file", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  auto keys = TicketKeys::Open(path, kNow);
  REQUIRE_THAT(keys, IsOk());
  const std::string name12 = (*keys)->Newest(false)->name;
  const std::string name13 = (*keys)->Newest(true)->name;
  CHECK(name12 != name13);
  CHECK((*keys)->Find(true, name12) == nullptr);
  CHECK((*keys)->Find(false, name13) == nullptr);
  auto again = TicketKeys::Open(path, kNow);
  REQUIRE_THAT(again, IsOk());
  CHECK((*again)->Find(false, name12) == nullptr);
  CHECK((*again)->Find(true, name13) != nullptr);
  CHECK((*again)->Newest(true)->name == name13);
}

TEST_CASE("ticket keys: one seals for its life and opens as long again",
          "[net]") {
  TempDir directory;
  auto keys = TicketKeys::Open(directory.File("session.keys"), kNow);
  REQUIRE_THAT(keys, IsOk());
  const absl::Duration life = TicketKeys::kLife, second = absl::Seconds(1);
  for (bool tls13 : {true, false}) {
    INFO(tls13);
    auto fresh = TicketKeys::Open("", kNow);
    REQUIRE_THAT(fresh, IsOk());
    const std::string first = (*fresh)->Newest(tls13)->name;
    REQUIRE_THAT((*fresh)->Refresh(kNow + life - second), IsOk());
    CHECK((*fresh)->Newest(tls13)->name == first);
    REQUIRE_THAT((*fresh)->Refresh(kNow + life), IsOk());
    CHECK((*fresh)->Newest(tls13)->name != first);
    CHECK((*fresh)->Find(tls13, first) != nullptr);
    REQUIRE_THAT((*fresh)->Refresh(kNow + 2 * life), IsOk());
    CHECK((*fresh)->Find(tls13, first) == nullptr);
  }
  // After a clock went back by days no key is kept indefinitely.
  const std::string ahead = (*keys)->Newest(true)->name;
  REQUIRE_THAT((*keys)->Refresh(kNow - absl::Hours(48)), IsOk());
  CHECK((*keys)->Find(true, ahead) == nullptr);
}

TEST_CASE("ticket keys: two processes open each other's", "[net]") {
  TempDir directory;
  const std::string path = directory.File("session.keys");
  auto a = TicketKeys::Open(path, kNow);
  REQUIRE_THAT(a, IsOk());
  auto b = TicketKeys::Open(path, kNow);
  REQUIRE_THAT(b, IsOk());
  const absl::Time later = kNow + TicketKeys::kLife;
  REQUIRE_THAT((*a)->Refresh(later), IsOk());
  REQUIRE_THAT((*b)->Refresh(later), IsOk());
  // The second took the first one's new key and made none of its own.
  CHECK((*a)->Newest(true)->name == (*b)->Newest(true)->name);
}

}  // namespace
}  // namespace carme::net
