#include "slurm-hooks/gpu/nvml_source.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "common/file.h"
#include "slurm-hooks/gpu/driver_library.h"
#include "slurm-hooks/gpu/rocm_source.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::gpu {
namespace {

std::unique_ptr<GpuSource> OpenDouble(const std::string& series) {
  static const TempDir directory;
  const std::string path = directory.File("series");
  REQUIRE_THAT(WriteFile(path, series, 0600), IsOk());
  setenv("FAKE_NVML_SERIES", path.c_str(), 1);
  auto source = OpenNvml(CARME_FAKE_NVML);
  REQUIRE_THAT(source, IsOk());
  return *std::move(source);
}

constexpr auto kInterval = std::chrono::milliseconds(120);

TEST_CASE("NVML: a machine without a driver has no source", "[gpu]") {
  CHECK_THAT(OpenNvml("libcarme-no-driver.so.1"),
             StatusIs(absl::StatusCode::kNotFound, "libcarme-no-driver"));
  CHECK_THAT(OpenRocm("libcarme-no-driver.so.1"),
             StatusIs(absl::StatusCode::kNotFound, "libcarme-no-driver"));
  CHECK_THAT(OpenNvml("libm.so.6"),
             StatusIs(absl::StatusCode::kUnimplemented, "nvmlInit_v2"));
}

TEST_CASE("driver library: loads the first name that exists", "[gpu]") {
  DriverLibrary library({"libcarme-no-driver.so.1", CARME_FAKE_NVML});
  CHECK_THAT(library.status(), IsOk());
  CHECK(library.path() == CARME_FAKE_NVML);
  CHECK(library.FindOptional<int()>("nvmlNone") == nullptr);
  CHECK_THAT(library.status(), IsOk());
  CHECK(library.Find<int()>("nvmlNone") == nullptr);
  CHECK(library.Find<int()>("nvmlOther") == nullptr);
  CHECK_THAT(library.status(),
             StatusIs(absl::StatusCode::kUnimplemented, "nvmlNone"));
}

TEST_CASE("NVML: devices that the cgroup hides are not found", "[gpu]") {
  const auto source = OpenDouble("0 0 devices 3\n0 1 hidden 1\n");
  REQUIRE(source->Devices().size() == 2);
  CHECK(source->Devices()[1].index == 2);
}

TEST_CASE("NVML: what is not supported is absent, not zero", "[gpu]") {
  const auto source = OpenDouble("0 0 gpu_util 0\n");
  const auto sample = source->Sample(0);
  REQUIRE_THAT(sample, IsOk());
  CHECK(sample->gpu_util_percent == 0);
  CHECK_FALSE(sample->power_w);
  CHECK_FALSE(sample->memory_used_mib);
  CHECK_FALSE(sample->energy_mj);
  CHECK_FALSE(sample->sm_active);
  CHECK_FALSE(sample->pcie_tx);
  CHECK_FALSE(sample->sm_clock_mhz);
  CHECK_FALSE(sample->is_too_hot);
  CHECK_FALSE(sample->ecc_uncorrected);
  CHECK_FALSE(source->Devices()[0].has_profiling);
  CHECK(source->Info().kind == "nvml");
}

TEST_CASE("NVML: more processes than fit are none", "[gpu]") {
  std::string series = "0 0 gpu_util 0\n";
  for (int i = 1; i <= 257; ++i) {
    series += "0 0 process " + std::to_string(i) + "\n";
  }
  CHECK_FALSE(OpenDouble(series)->Sample(0)->processes);
}

TEST_CASE("NVML: has the processes of a GPU, each few seconds", "[gpu]") {
  const auto source = OpenDouble(
      "0 0 devices 2\n0 0 process 71\n0 0 process 72\n0 1 gpu_util 1\n");
  CHECK(source->Sample(0)->processes == std::vector<int64_t>{71, 72});
  CHECK(source->Sample(1)->processes == std::vector<int64_t>{});
  CHECK_FALSE(source->Sample(0)->processes);
}

TEST_CASE("NVML: a lost GPU is an error", "[gpu]") {
  const auto source = OpenDouble("0 0 gpu_util 1\n0.05 0 error 15\n");
  std::this_thread::sleep_for(kInterval);
  CHECK_THAT(source->Sample(0),
             StatusIs(absl::StatusCode::kUnavailable, "GPU is lost"));
}

TEST_CASE("NVML: names the test double", "[gpu]") {
  const GpuSourceInfo info = OpenDouble("0 0 gpm 1\n")->Info();
  CHECK(info.kind == "gpm");
  CHECK(info.driver_version == "test double 1.0");
  CHECK(info.library_path == CARME_FAKE_NVML);
}

TEST_CASE("NVML: reads plain values in the units of a sample", "[gpu]") {
  const auto source = OpenDouble(
      "0 0 gpu_util 73\n0 0 memory_total 1073741824\n"
      "0 0 memory_used 536870912\n0 0 memory_reserved 1048576\n"
      "0 0 power_mw 350500\n0 0 energy_mj 9000000000\n0 0 temperature 61\n"
      "0 0 pcie_tx_kib 4000000\n0 0 ecc_uncorrected 2\n"
      "0 0 power_limit_mw 700000\n0 0 xid 79\n"
      "0 0 sm_clock 1410\n0 0 clock_reasons 68\n");
  const auto sample = source->Sample(0);
  REQUIRE_THAT(sample, IsOk());
  CHECK(sample->gpu_util_percent == 73);
  CHECK(sample->memory_used_mib == 512);
  CHECK(sample->memory_reserved_mib == 1);
  CHECK(sample->memory_free_mib == 511);
  CHECK(sample->power_w == 350.5);
  CHECK(sample->energy_mj == 9000000000u);
  CHECK(sample->temperature_c == 61);
  CHECK(sample->pcie_tx == 4096000000);  // above 2e9: kept
  CHECK(sample->ecc_uncorrected == 2u);
  CHECK(sample->sm_clock_mhz == 1410);
  CHECK(sample->is_power_capped == true);   // 0x04
  CHECK(sample->is_too_hot == true);        // 0x40
  CHECK(sample->is_power_braked == false);  // 0x80
  CHECK(sample->xids == std::vector<uint64_t>{79});
  CHECK(source->Sample(0)->xids.empty());  // once
  CHECK(source->Devices()[0].power_limit_w == 700);
}

TEST_CASE("NVML: activity needs two samples of GPM 100 ms apart", "[gpu]") {
  const auto source = OpenDouble(
      "0 0 gpm 1\n0 0 gpm.2 80\n0 0 gpm.3 40\n0 0 gpm.5 30\n0 0 gpm.10 25\n"
      "0 0 gpm.61 100000\n0 0 gpm.60 50000\n");
  CHECK_FALSE(source->Sample(0)->sm_active);
  CHECK_FALSE(source->Sample(0)->sm_active);
  std::this_thread::sleep_for(kInterval);
  const auto sample = source->Sample(0);
  CHECK(sample->sm_active == 0.8);
  CHECK(sample->sm_occupancy == 0.4);
  CHECK(sample->tensor_active == 0.3);
  CHECK(sample->dram_active == 0.25);
  CHECK(sample->nvlink_tx == 100000LL << 20);  // above 2e9: kept
  CHECK(sample->nvlink_rx == 50000LL << 20);
  CHECK_FALSE(sample->fp64_active);
}

TEST_CASE("GPU counter: a reset gives no increase", "[gpu]") {
  CHECK_FALSE(CounterIncrease(10, 3));
  CHECK(CounterIncrease(3, 10) == 7u);
  CHECK(CounterIncrease(3, 3) == 0u);
}

}  // namespace
}  // namespace carme::gpu
