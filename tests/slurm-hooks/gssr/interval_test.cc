#include "slurm-hooks/gssr/interval.h"

#include <catch2/catch.hpp>
#include <map>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace carme::gssr {
namespace {

std::map<std::string, std::string> Fields(const std::string& line) {
  const std::string header_line = CsvHeader();
  const std::vector<std::string> header =
      absl::StrSplit(absl::StripSuffix(header_line, "\n"), ',');
  const std::vector<std::string> values =
      absl::StrSplit(absl::StripSuffix(line, "\n"), ',');
  REQUIRE(header.size() == values.size());
  std::map<std::string, std::string> fields;
  for (size_t i = 0; i < header.size(); ++i) fields[header[i]] = values[i];
  return fields;
}

TEST_CASE("gssr interval: what was not measured is empty", "[gssr]") {
  Interval interval;
  const auto fields = Fields(interval.TakeCsvLine(3, 1));
  CHECK(fields.at("timestamp") == "3");
  CHECK(fields.at("gpuId") == "1");
  CHECK(fields.at("DCGM_FI_DEV_GPU_UTIL_avg").empty());
  CHECK(fields.at("DCGM_FI_PROF_SM_ACTIVE_max").empty());
  CHECK(fields.at("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg").empty());
}

TEST_CASE("gssr interval: a reset counter has no increase", "[gssr]") {
  Interval interval;
  interval.Add({.energy_mj = 500});
  interval.Add({.energy_mj = 20});
  CHECK(Fields(interval.TakeCsvLine(
            1, 0))["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg"] == "");
  interval.Add({.energy_mj = 50});
  CHECK(Fields(interval.TakeCsvLine(
            2, 0))["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg"] == "30");
}

TEST_CASE("gssr interval: has minimum, mean and maximum", "[gssr]") {
  Interval interval;
  interval.Add({.gpu_util_percent = 10,
                .energy_mj = 1000,
                .sm_active = 0.25,
                .nvlink_tx = 3000000000});
  interval.Add({.gpu_util_percent = 30,
                .energy_mj = 1700,
                .sm_active = 0.75,
                .nvlink_tx = 5000000000});
  auto fields = Fields(interval.TakeCsvLine(1, 0));
  CHECK(fields["DCGM_FI_DEV_GPU_UTIL_min"] == "10");
  CHECK(fields["DCGM_FI_DEV_GPU_UTIL_avg"] == "20");
  CHECK(fields["DCGM_FI_DEV_GPU_UTIL_max"] == "30");
  CHECK(fields["DCGM_FI_PROF_SM_ACTIVE_min"] == "0.25");
  CHECK(fields["DCGM_FI_PROF_SM_ACTIVE_avg"] == "0.50");
  CHECK(fields["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_min"] == "1000");
  CHECK(fields["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_avg"] == "700");
  CHECK(fields["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_max"] == "1700");
  CHECK(fields["DCGM_FI_PROF_NVLINK_TX_BYTES_avg"] == "4000000000");
}

}  // namespace
}  // namespace carme::gssr
