#include "backend/history/utilization.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

class Seen : public Scheduler {
 public:
  SlurmSnapshotPtr Snapshot() const override {
    return std::make_shared<const SlurmSnapshot>(cluster);
  }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)>) override {}
  void RefreshSoon() override {}
  SlurmSnapshot cluster;
};

struct Watch {
  Watch() {
    SlurmNode node;
    node.name = "n1";
    node.up = true;
    node.cpus = 8;
    node.gpus = {{"h200", 4}};
    seen.cluster.nodes = {node};
    seen.cluster.reachable = true;
    Use(0);
  }
  void Use(int gpus) { seen.cluster.nodes[0].gpus_used = {{"h200", gpus}}; }
  void Minutes(int count) {
    for (int i = 0; i < count; ++i) {
      clock.Advance(absl::Minutes(1));
      record.RecordSample();
    }
  }
  std::vector<UtilizationPoint> Points(v1::UtilizationRange range) {
    return record.Read(range).value().series["h200"];
  }
  int64_t Rows() {
    int64_t rows = 0;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement count = db.Prepare("SELECT count(*) FROM cluster_use").value();
      REQUIRE(count.Step().value());
      rows = count.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return rows;
  }
  FakeClock clock;
  Seen seen;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  UtilizationRecorder record{database.get(), database.get(), &seen, &clock};
};

TEST_CASE("utilization: refuses an unknown range", "[backend]") {
  Watch watch;
  CHECK(absl::IsInvalidArgument(
      watch.record.Read(static_cast<v1::UtilizationRange>(4)).status()));
  CHECK(absl::IsInvalidArgument(
      watch.record.Read(static_cast<v1::UtilizationRange>(-1)).status()));
}

TEST_CASE("utilization: has no values for unobserved times", "[backend]") {
  Watch watch;
  watch.Minutes(1);
  CHECK(watch.Rows() == 0);  // the first look says nothing of the past
  watch.clock.Advance(absl::Hours(5));
  watch.record.RecordSample();
  CHECK(watch.Rows() == 0);
  watch.seen.cluster.reachable = false;
  watch.Minutes(10);
  CHECK(watch.Rows() == 0);
}

TEST_CASE("use record: averages over the recorded samples", "[backend]") {
  Watch watch;  // its clock begins at a full hour, and day
  watch.clock.Set(absl::FromUnixSeconds(1'800'057'600));
  watch.record.RecordSample();
  watch.Use(4);
  watch.Minutes(15);
  watch.Use(0);
  watch.Minutes(44);
  const auto hours = watch.Points(v1::UTILIZATION_RANGE_MONTH);
  REQUIRE(hours.size() == 1);
  CHECK(hours[0].used == Approx(4.0 * 15 / 59));
  CHECK(hours[0].total == Approx(4));
  const auto fives = watch.Points(v1::UTILIZATION_RANGE_DAY);
  REQUIRE(fives.size() == 12);
  CHECK(fives[0].used == Approx(4));
  CHECK(fives[11].used == Approx(0));
  REQUIRE(watch.Points(v1::UTILIZATION_RANGE_YEAR).size() == 1);
}

TEST_CASE("use record: a node that is down is not there", "[backend]") {
  Watch watch;
  watch.Use(3);
  watch.seen.cluster.nodes[0].up = false;
  watch.Minutes(3);
  const auto points = watch.Points(v1::UTILIZATION_RANGE_YEAR);
  REQUIRE(points.size() == 1);
  CHECK(points[0].total == 0);
  CHECK(points[0].used == 0);
  CHECK(points[0].down == Approx(4));
}

TEST_CASE("use record: its size is bounded", "[backend]") {
  Watch watch;
  watch.Minutes(3);
  for (int day = 0; day < 60; ++day) {
    watch.clock.Advance(absl::Hours(23));
    watch.Minutes(60);
  }
  // CPUs and one type: two days of five minutes, two months of hours, days.
  CHECK(watch.Rows() <= 2 * (2 * 288 + 62 * 24 + 1830));
  CHECK(watch.Points(v1::UTILIZATION_RANGE_DAY).size() <= 289);
  CHECK(watch.Points(v1::UTILIZATION_RANGE_YEAR).size() == 61);
  // Of the first day only its sum is left.
  watch.clock.Advance(absl::Hours(24 * 1831));
  watch.Minutes(3);
  CHECK(watch.Rows() == 6);
}

TEST_CASE("utilization: types beyond 32 are omitted", "[backend]") {
  SlurmSnapshot cluster;
  SlurmNode node;
  node.up = true;
  for (int i = 0; i < 40; ++i) node.gpus["type" + std::to_string(i)] = 1;
  cluster.nodes = {node};
  CHECK(SampleOf(cluster).size() == 33);
  CHECK(SampleOf(cluster).contains(""));
}

TEST_CASE("use record: types that come and go are bounded, too", "[backend]") {
  Watch watch;
  watch.Minutes(1);
  for (int i = 0; i < 40; ++i) {
    watch.seen.cluster.nodes[0].gpus = {{"type" + std::to_string(i), 1}};
    watch.Minutes(1);
  }
  CHECK(watch.record.Read(v1::UTILIZATION_RANGE_YEAR)->series.size() == 33);
  // Known types continue.
  watch.seen.cluster.nodes[0].gpus = {{"type3", 1}};
  watch.clock.Advance(absl::Hours(24));
  watch.Minutes(2);
  CHECK(watch.record.Read(v1::UTILIZATION_RANGE_YEAR)->series["type3"].size() ==
        2);
  // What is long past makes room.
  watch.clock.Advance(absl::Hours(24 * 1831));
  watch.Minutes(2);
  watch.seen.cluster.nodes[0].gpus = {{"type39", 1}};
  watch.Minutes(1);
  CHECK(
      watch.record.Read(v1::UTILIZATION_RANGE_YEAR)->series.contains("type39"));
}

}  // namespace
}  // namespace carme::backend
