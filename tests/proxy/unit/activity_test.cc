// How the activity of jobs is counted.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/telemetry/activity_aggregator.h"

namespace carme::proxy {
namespace {

const JobId kJob("j23456789abcdefg");
const JobId kOther("k23456789abcdefg");

TEST_CASE("activity: changes are drained once, open connections repeatedly",
          "[proxy]") {
  ActivityAggregator aggregator;
  CHECK(aggregator.Drain(true).empty());
  aggregator.Add(kJob, {.opened = 2, .received_bytes = 5, .sent_bytes = 7});
  aggregator.Add(kJob, {.opened = -1, .received_bytes = 5});
  std::vector<ActivityRow> rows = aggregator.Drain(false);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].job == kJob);
  CHECK(rows[0].open == 1);
  CHECK(rows[0].received_bytes == 10);
  CHECK(rows[0].sent_bytes == 7);
  CHECK(aggregator.Drain(false).empty());
  CHECK(aggregator.Drain(true).size() == 1);
  aggregator.Add(kJob, {.opened = -1});
  CHECK(aggregator.Drain(false).size() == 1);
  CHECK(aggregator.Drain(true).empty());
}

TEST_CASE("activity: restored rows are drained with new changes", "[proxy]") {
  ActivityAggregator aggregator;
  aggregator.Add(kJob, {.opened = 1, .sent_bytes = 1});
  aggregator.Add(kOther, {.opened = 1});
  const std::vector<ActivityRow> rows = aggregator.Drain(false);
  CHECK(rows.size() == 2);
  aggregator.Add(kJob, {.sent_bytes = 1});
  aggregator.Remove(kOther);
  aggregator.Restore(rows);
  const std::vector<ActivityRow> again = aggregator.Drain(false);
  REQUIRE(again.size() == 1);
  CHECK(again[0].sent_bytes == 2);
}

TEST_CASE("activity: counts never become negative", "[proxy]") {
  ActivityAggregator aggregator;
  aggregator.Add(kJob, {.opened = 3});
  aggregator.Remove(kJob);
  aggregator.Add(kJob, {.opened = -3});
  const std::vector<ActivityRow> rows = aggregator.Drain(false);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].open == 0);
}

}  // namespace
}  // namespace carme::proxy
