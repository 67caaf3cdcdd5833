// A missing route has not ended.
#include "proxy/control/route_table.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "proxy/access/used_ticket_store.h"
#include "proxy/limits/overload_manager.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::proxy {
namespace {

const JobId kJob("j23456789abcdefg");
const JobId kOther("k23456789abcdefg");
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

RouteUpdate Snapshot(std::vector<Route> routes) {
  RouteUpdate update;
  update.snapshot = true;
  update.routes = std::move(routes);
  return update;
}

TEST_CASE("routes: a route missing in a snapshot becomes stale", "[proxy]") {
  const net::Address agent = *net::Address::Parse("10.77.0.11:34000");
  RouteTable table(absl::Hours(2));
  table.Apply(Snapshot({{kJob, agent}, {kOther, agent}}), kNow);
  CHECK_FALSE(table.Apply(Snapshot({}), kNow));
  CHECK(table.size() == 2);
  CHECK(table.stale() == 2);
  // Listed again, or reported as ended.
  CHECK_FALSE(table.Apply(Snapshot({{kOther, agent}}), kNow + absl::Hours(1)));
  CHECK(table.stale() == 1);
  RouteUpdate ended = Snapshot({});
  ended.removed = {kOther};
  CHECK(table.Apply(ended, kNow + absl::Hours(1)));
  CHECK(table.Find(kOther) == nullptr);
  CHECK(table.stale() == 1);
  // The first time counts.
  CHECK_FALSE(table.Apply(RouteUpdate(), kNow + absl::Hours(2)));
  CHECK(table.Find(kJob) != nullptr);
  CHECK(table.Apply(RouteUpdate(), kNow + absl::Hours(2) + absl::Seconds(1)));
  CHECK(table.Find(kJob) == nullptr);
  CHECK(table.stale() == 0);
}

TEST_CASE("routes: a clock that was ahead does not prolong stale routes",
          "[proxy]") {
  const net::Address agent = *net::Address::Parse("10.77.0.11:34000");
  RouteTable table(absl::Hours(2));
  table.Apply(Snapshot({{kJob, agent}}), kNow);
  table.Apply(Snapshot({}), kNow + absl::Hours(100));
  table.Apply(RouteUpdate(), kNow);
  CHECK(table.stale() == 1);
  table.Apply(RouteUpdate(), kNow + absl::Hours(3));
  CHECK(table.size() == 0);
}

TEST_CASE("routes: revocations missing in a snapshot stay", "[proxy]") {
  RouteTable table;
  RouteUpdate revoked;
  revoked.revoked = {{SessionId("s"), kNow + absl::Hours(1)}};
  CHECK(table.Apply(revoked, kNow));
  table.Apply(Snapshot({}), kNow);
  CHECK(table.IsRevoked(SessionId("s")));
  RouteUpdate restored;
  restored.restored = {SessionId("s")};
  table.Apply(restored, kNow);
  CHECK_FALSE(table.IsRevoked(SessionId("s")));
  table.Apply(revoked, kNow);
  table.Apply(RouteUpdate(), kNow + absl::Hours(2));
  CHECK_FALSE(table.IsRevoked(SessionId("s")));
}

TEST_CASE("routes: the snapshot file does not make the table complete",
          "[proxy]") {
  const net::Address agent = *net::Address::Parse("10.77.0.11:34000");
  RouteTable table;
  RouteUpdate from_snapshot_file = Snapshot({{kJob, agent}});
  from_snapshot_file.from_snapshot_file = true;
  table.Apply(from_snapshot_file, kNow);
  CHECK(table.Find(kJob) != nullptr);
  CHECK_FALSE(table.complete());
  table.Apply(Snapshot({}), kNow);
  CHECK(table.complete());
  CHECK(table.stale() == 1);
}

std::string Id(char c) { return std::string(UsedTicketStore::kIdBytes, c); }

TEST_CASE("used tickets: are shared by all processes", "[proxy]") {
  TempDir directory;
  const std::string path = directory.path() + "/tickets";
  const absl::Time now = absl::Now();
  auto one = *UsedTicketStore::Open(path, now);
  auto two = *UsedTicketStore::Open(path, now + absl::Seconds(5));
  const absl::Time later = now + absl::Seconds(10);
  const auto burn = [&](UsedTicketStore& table, char id, absl::Time issued) {
    return table.MarkUsed(Id(id), issued, later + absl::Seconds(30), later)
        .code();
  };
  CHECK(burn(*one, 'a', now) == absl::StatusCode::kOk);
  CHECK(burn(*two, 'a', now) == absl::StatusCode::kUnauthenticated);
  CHECK(burn(*two, 'b', now) == absl::StatusCode::kOk);
  one.reset();
  two.reset();
  auto three = *UsedTicketStore::Open(path, later);
  CHECK(burn(*three, 'b', now) == absl::StatusCode::kUnauthenticated);
  // Issued before the table: unknown.
  CHECK(burn(*three, 'c', now - absl::Seconds(1)) ==
        absl::StatusCode::kUnauthenticated);
  CHECK(burn(*three, 'c', later) == absl::StatusCode::kOk);
}

TEST_CASE("used tickets: recover from a clock that was ahead", "[proxy]") {
  TempDir directory;
  const absl::Time now = absl::Now();
  auto table = *UsedTicketStore::Open(directory.path() + "/tickets",
                                      now + absl::Hours(1));
  const auto burn = [&](char id) {
    return table
        ->MarkUsed(Id(id), now - absl::Seconds(1), now + absl::Seconds(30), now)
        .ok();
  };
  CHECK(burn('a'));
  CHECK_FALSE(burn('a'));
}

TEST_CASE("used tickets: reject a file that others may write", "[proxy]") {
  TempDir directory;
  const std::string path = directory.path() + "/tickets";
  REQUIRE_THAT(WriteFile(path, "", 0600), IsOk());
  std::filesystem::permissions(path, std::filesystem::perms(0620));
  CHECK_FALSE(UsedTicketStore::Open(path, absl::Now()).ok());
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/etc/passwd", path);
  CHECK_FALSE(UsedTicketStore::Open(path, absl::Now()).ok());
}

TEST_CASE("used tickets: reject too many at once instead of forgetting",
          "[proxy]") {
  const absl::Time now = absl::Now();
  UsedTicketStore table(now);
  // All at the same slot.
  std::string id = Id('x');
  const auto burn = [&](absl::Time at) {
    return table.MarkUsed(id, now, at + absl::Minutes(1), at).code();
  };
  int used_tickets = 0;
  for (; burn(now) == absl::StatusCode::kOk; ++used_tickets) {
    id[UsedTicketStore::kIdBytes - 1] = static_cast<char>(used_tickets);
    REQUIRE(used_tickets < 1000);
  }
  CHECK(used_tickets > 10);
  id[UsedTicketStore::kIdBytes - 1] = static_cast<char>(used_tickets);
  CHECK(burn(now) == absl::StatusCode::kResourceExhausted);
  CHECK(burn(now + absl::Minutes(2)) == absl::StatusCode::kOk);
}

TEST_CASE("memory: available and resident bytes", "[proxy]") {
  CHECK(ResidentBytes() > 1 << 20);
  CHECK(AvailableMemory() > ResidentBytes());
}

}  // namespace
}  // namespace carme::proxy
