#include "backend/metrics/archive/reduction.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace carme::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

archive::v1::Resolution Points(uint32_t step_s, int64_t first_ms,
                               const std::vector<double>& values) {
  archive::v1::Resolution points;
  points.set_step_s(step_s);
  points.set_first_ms(first_ms);
  *points.mutable_values() = {values.begin(), values.end()};
  return points;
}

// NaN as -1, so that lists can be compared.
std::vector<double> Shown(std::vector<double> values) {
  for (double& value : values) {
    if (std::isnan(value)) value = -1;
  }
  return values;
}

TEST_CASE("reduction: keeps gaps as gaps", "[metrics]") {
  const auto fine =
      Points(1, 10'000, {1, 2, 3, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 4});
  CHECK(Shown(Resample(fine, false, 10'000, 3, 4)) ==
        std::vector<double>{1, 2.5, -1, 4});
}

TEST_CASE("reduction: means of gauges, last values of counters", "[metrics]") {
  const auto fine = Points(1, 0, {0, 1, 2, 3, 4, 5, 6});
  CHECK(Resample(fine, false, 0, 3, 3) == std::vector<double>{0, 2, 5});
  CHECK(Resample(fine, true, 0, 3, 3) == std::vector<double>{0, 3, 6});
}

TEST_CASE("reduction: a grid that begins or ends elsewhere", "[metrics]") {
  const auto fine = Points(10, 100'000, {1, 2, 3});
  CHECK(Shown(Resample(fine, false, 50'000, 10, 9)) ==
        std::vector<double>{-1, -1, -1, -1, -1, 1, 2, 3, -1});
  CHECK(Shown(Resample(fine, false, 200'000, 10, 2)) ==
        std::vector<double>{-1, -1});
  CHECK(Resample(fine, false, 0, 10, 0).empty());
  CHECK(Resample(fine, false, 0, 10, -5).empty());
}

TEST_CASE("reduction: a finer grid repeats a value for its time", "[metrics]") {
  const auto coarse = Points(10, 10'000, {1, kNaN, 3});
  CHECK(Shown(Resample(coarse, false, 10'000, 5, 5)) ==
        std::vector<double>{1, -1, -1, 3, 3});
}

TEST_CASE("reduction: longer jobs and more series have larger steps",
          "[metrics]") {
  CHECK(ArchiveStep_s(3600, 100) == 1);
  CHECK(ArchiveStep_s(3601, 100) == 10);
  CHECK(ArchiveStep_s(24 * 3600, 100) == 60);
  CHECK(ArchiveStep_s(3600, 50'000) == 10);
  CHECK(ArchiveStep_s(30 * 24 * 3600, 100'000) == 3600);
  CHECK(CoarserStep_s(60) == 600);
  CHECK(CoarserStep_s(3600) == 0);
}

TEST_CASE("reduction: coarser archives end with the last value", "[metrics]") {
  archive::v1::JobArchive archive;
  archive::v1::ArchivedSeries* series = archive.add_series();
  series->set_name("carme_job_cpu_seconds_total");
  std::vector<double> values(3600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  *series->add_resolutions() = Points(1, 5'000, values);
  Coarsen(10, &archive);
  Coarsen(60, &archive);
  const archive::v1::Resolution& coarse = series->resolutions(0);
  CHECK(coarse.step_s() == 60);
  CHECK(coarse.first_ms() == 5'000);
  CHECK(coarse.values_size() == 61);
  CHECK(coarse.values(1) == 60);
  CHECK(coarse.values(60) == 3599);
}

}  // namespace
}  // namespace carme::metrics
