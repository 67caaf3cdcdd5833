#include "backend/audit/audit_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/audit/audit_proto.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr int64_t kAll = 2500;  // more than two pieces

// Entries of a minute each; every hundredth is eve's, refused.
AuditWorld& World() {
  static AuditWorld* const world = [] {
    auto* const made = new AuditWorld;
    std::vector<AuditEntry> entries;
    for (int64_t i = 1; i <= kAll; ++i) {
      const bool eve = i % 100 == 0;
      entries.push_back({.sequence = i,
                         .at = i * 60'000'000,
                         .act = eve ? "open-app" : "submit",
                         .actor = eve ? "eve" : "ada",
                         .subject = "job" + std::to_string(i),
                         .decision = eve ? "refuse" : "allow",
                         .result = "ok",
                         .source = "192.0.2.7",
                         .request_id = "Req" + std::to_string(i)});
    }
    REQUIRE_THAT(AppendEntries(made->database.get(), entries), IsOk());
    return made;
  }();
  return *world;
}

// The sequences that a filter lets through, read piece by piece.
std::vector<int64_t> Read(const AuditFilter& filter,
                          AuditOrder order = AuditOrder::kOldestFirst,
                          size_t max = kAuditPiece) {
  std::vector<int64_t> sequences;
  AuditPiece piece;
  piece.next = order == AuditOrder::kOldestFirst ? kOldest : kNewest;
  while (!piece.last) {
    piece = ReadPiece(World().database.get(), filter, order, piece.next, max)
                .value();
    CHECK(piece.entries.size() <= max);
    for (const AuditEntry& entry : piece.entries) {
      sequences.push_back(entry.sequence);
    }
  }
  return sequences;
}

TEST_CASE("audit table: every entry once, in both orders", "[audit]") {
  for (const size_t max : {kAuditPiece, size_t{7}}) {
    const auto up = Read({}, AuditOrder::kOldestFirst, max);
    REQUIRE(up.size() == kAll);
    auto down = Read({}, AuditOrder::kNewestFirst, max);
    CHECK(up.front() == 1);
    CHECK(down.front() == kAll);
    std::reverse(down.begin(), down.end());
    CHECK(up == down);
  }
}

TEST_CASE("audit table: filters", "[audit]") {
  CHECK(Read({.actor = "eve"}).size() == 25);
  CHECK(Read({.actor = "ev"}).empty());
  CHECK(Read({.act = "open-app"}).size() == 25);
  CHECK(Read({.decision = "refuse"}).size() == 25);
  CHECK(Read({.actor = "ada", .decision = "refuse"}).empty());
  CHECK(Read({.text = "JOB1234"}) == std::vector<int64_t>{1234});
  CHECK(Read({.text = "req77"}).size() == 11);
  CHECK(Read({.text = "192.0.2.7"}).size() == kAll);
  CHECK(Read({.text = "%"}).empty());
  CHECK(Read({.text = "' OR 1=1 --"}).empty());
  CHECK(Read({.since = 2000 * 60'000'000LL}).size() == 501);
  CHECK(Read({.until = 2000 * 60'000'000LL}).size() == 1999);
}

TEST_CASE("audit table: an empty one has one piece", "[audit]") {
  AuditWorld world;
  const auto piece =
      ReadPiece(world.database.get(), {}, AuditOrder::kNewestFirst, kNewest);
  REQUIRE_THAT(piece, IsOk());
  CHECK(piece->last);
  CHECK(piece->entries.empty());
}

TEST_CASE("audit table: a filter that makes no sense is refused", "[audit]") {
  v1::AuditFilter turned;
  turned.mutable_since()->set_seconds(2);
  turned.mutable_until()->set_seconds(1);
  v1::AuditFilter far;
  far.mutable_since()->set_seconds(1LL << 60);
  v1::AuditFilter other;
  other.set_decision("perhaps\n");
  v1::AuditFilter longer;
  longer.set_text(std::string(129, 'x'));
  for (const auto& filter : {turned, far, other, longer}) {
    CHECK(absl::IsInvalidArgument(FilterOf(filter).status()));
  }
  CHECK_THAT(FilterOf(v1::AuditFilter()), IsOk());
}

TEST_CASE("audit table: a JSON line is one line with any content", "[audit]") {
  AuditEntry entry{.sequence = 1,
                   .at = INT64_MAX,
                   .act = "log-in",
                   .actor = "ada\"}\n{\"actor\":\"root",
                   .decision = "\xff",
                   .result = "\xe2\x80\xa8<script>"};
  entry.hash = std::string(32, '\1');
  const std::string line = JsonLine(entry);
  INFO(line);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find(R"("actor":"ada\"}?{\"actor\":\"root")") !=
        std::string::npos);
  CHECK(line.find(R"("decision":"?")") != std::string::npos);
  CHECK(line.find(R"("sequence":"1")") != std::string::npos);
}

}  // namespace
}  // namespace carme::backend
