// The service log with a real database.
#include "backend/logs/service_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/logs/root_program_log.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

LogRow NodeRow(const std::string& node, const std::string& message) {
  return {.source = "node:" + node,
          .service = "carme-prolog",
          .node = node,
          .message = message};
}

struct LogSite {
  explicit LogSite(const LogsConfig& config = {})
      : log(database.get(), &clock, config) {}
  void Fill(const std::string& node, int minutes) {
    for (int minute = 0; minute < minutes; ++minute) {
      for (int i = 0; i < kMaxLogEntriesPerMinute; ++i) {
        log.Append(NodeRow(node, "x"));
      }
      REQUIRE_THAT(log.Flush(), IsOk());
      clock.Advance(absl::Minutes(1));
    }
  }
  std::vector<LogRow> Read(const LogQuery& query = {}) {
    REQUIRE_THAT(log.Flush(), IsOk());
    return log.Read(query, 0, 1'000'000).value();
  }

  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FakeClock clock;
  ServiceLog log;
};

TEST_CASE(
    "service log: a flood of one node is counted and drops no entry of "
    "another",
    "[backend]") {
  LogSite site;
  for (int i = 0; i < 10'000; ++i) site.log.Append(NodeRow("n1", "flood"));
  site.log.Append(NodeRow("n2", "disk full"));
  CHECK(site.Read({.node = "n1"}).size() == kMaxLogEntriesPerMinute);
  REQUIRE(site.Read({.node = "n2"}).size() == 1);
  site.clock.Advance(absl::Minutes(1));
  const std::vector<LogRow> rows = site.Read({.node = "n1"});
  REQUIRE(rows.size() == kMaxLogEntriesPerMinute + 1);
  CHECK(rows[0].message ==
        "9940 entries of this source were dropped: it exceeded its limit");
  site.log.Append(NodeRow("n1", "later"));
  CHECK(site.Read({.node = "n1"})[0].message == "later");
}

TEST_CASE(
    "root program log: a user's failures drop neither another user's entries "
    "nor success",
    "[backend]") {
  LogSite site;
  const RootProgramLog log(&site.log, "carme-impersonator");
  const RootOperation by_ada{.name = "cancel", .user = "ada"};
  for (int i = 0; i < 1000; ++i) {
    log.Add(by_ada, absl::PermissionDeniedError("not yours"));
  }
  log.Add(by_ada, absl::OkStatus());
  log.Add({.name = "cancel", .user = "bob"}, absl::InternalError("bug"));
  const auto rows = site.Read({.service = "carme-impersonator"});
  REQUIRE(rows.size() == kMaxLogEntriesPerMinute + 2);
  CHECK(rows[0].user == "bob");
  CHECK(rows[0].severity == v1::LOG_SEVERITY_ERROR);
  CHECK(rows[1].severity == v1::LOG_SEVERITY_INFO);
  CHECK(rows[1].message == "operation done operation=cancel");
  CHECK(rows[2].severity == v1::LOG_SEVERITY_WARNING);
}

TEST_CASE("root program log: a response cannot forge a line or exceed one",
          "[backend]") {
  LogSite site;
  const RootProgramLog log(&site.log, "carme-impersonator");
  log.Add({.name = "submit", .user = "ada"},
          absl::InternalError("x\ncarme-backend error" +
                              std::string(100'000, 'x')));
  const auto rows = site.Read();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].service == "carme-impersonator");
  CHECK(rows[0].message.size() == kMaxLogMessageBytes);
  CHECK(rows[0].message.find('\n') == std::string::npos);
}

TEST_CASE("root program log: reading enters failures only", "[backend]") {
  LogSite site;
  const RootProgramLog log(&site.log, "carme-storage-reader");
  const RootOperation reading{.name = "read", .user = "ada", .reads = true};
  log.Add(reading, absl::OkStatus());
  log.Add(reading, absl::NotFoundError("no log yet"));
  CHECK(site.Read().empty());
  log.Add(reading, absl::UnavailableError("NSS does not respond"));
  REQUIRE(site.Read().size() == 1);
}

TEST_CASE("service log: a source keeps its newest entries", "[backend]") {
  LogSite site({.max_entries_of_source = 100});
  site.log.Append(NodeRow("n2", "first"));
  site.Fill("n1", 3);
  CHECK(site.Read({.node = "n1"}).size() == 100);
  CHECK(site.Read({.node = "n2"}).size() == 1);
}

TEST_CASE("service log: the whole log takes from the largest source first",
          "[backend]") {
  LogSite site({.max_entries = 1000, .max_entries_of_source = 2000});
  site.log.Append(NodeRow("n2", "only one"));
  site.Fill("n1", 20);
  CHECK(site.Read().size() <= 1000);
  CHECK(site.Read({.node = "n2"}).size() == 1);
}

TEST_CASE("service log: entries expire", "[backend]") {
  LogSite site({.retention_days = 2});
  site.log.Append(NodeRow("n1", "old"));
  REQUIRE(site.Read().size() == 1);
  site.clock.Advance(absl::Hours(49));
  site.log.Append(NodeRow("n1", "new"));
  REQUIRE(site.Read().size() == 1);
  CHECK(site.Read()[0].message == "new");
}

TEST_CASE("service log: texts are cut and made readable", "[backend]") {
  LogSite site;
  site.log.Append(NodeRow("n1", "a\nb\x1b[31m" + std::string(5000, 'x')));
  const std::string message = site.Read()[0].message;
  CHECK(message.substr(0, 8) == "a?b?[31m");
  CHECK(message.size() == kMaxLogMessageBytes);
}

TEST_CASE("service log: filters by job, request, severity and time",
          "[backend]") {
  LogSite site;
  LogRow row = NodeRow("n1", "one");
  row.job_id = "k1";
  row.slurm_job_id = 7;
  row.request_id = "r-1";
  row.severity = v1::LOG_SEVERITY_WARNING;
  site.log.Append(row);
  site.clock.Advance(absl::Seconds(10));
  site.log.Append(NodeRow("n1", "two"));
  const auto count = [&](const LogQuery& query) {
    return site.Read(query).size();
  };
  CHECK(count({}) == 2);
  CHECK(count({.job_id = "k1"}) == 1);
  CHECK(count({.job_id = "k2"}) == 0);
  CHECK(count({.slurm_job_id = 7}) == 1);
  CHECK(count({.service = "carme-epilog"}) == 0);
  CHECK(count({.request_id = "r-1"}) == 1);
  CHECK(count({.min_severity = v1::LOG_SEVERITY_ERROR}) == 1);
  CHECK(count({.since = site.clock.Now()}) == 1);
  CHECK(count({.until = site.clock.Now()}) == 1);
}

TEST_CASE("service log: pages go backwards", "[backend]") {
  LogSite site;
  for (const char* text : {"1", "2", "3"}) site.log.Append(NodeRow("n1", text));
  REQUIRE_THAT(site.log.Flush(), IsOk());
  const std::vector<LogRow> first = site.log.Read({}, 0, 2).value();
  REQUIRE(first.size() == 2);
  CHECK(first[0].message == "3");
  const std::vector<LogRow> second =
      site.log.Read({}, first[1].sequence, 2).value();
  REQUIRE(second.size() == 1);
  CHECK(second[0].message == "1");
}

TEST_CASE("service log: entries that a source dropped itself are counted",
          "[backend]") {
  LogSite site;
  site.log.CountDropped(NodeRow("n1", ""), 5);
  CHECK(site.Read().empty());
  site.clock.Advance(absl::Minutes(1));
  REQUIRE(site.Read().size() == 1);
  CHECK(site.Read()[0].message.substr(0, 9) == "5 entries");
}

}  // namespace
}  // namespace carme::backend
