#include "slurm-hooks/gpu/deadline_source.h"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "common/file.h"
#include "slurm-hooks/gpu/nvml_source.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::gpu {
namespace {

auto OpenWithDeadline(const std::string& series) {
  const TempDir directory;
  const std::string path = directory.File("series");
  REQUIRE_THAT(WriteFile(path, series, 0600), IsOk());
  setenv("FAKE_NVML_SERIES", path.c_str(), 1);
  return DeadlineSource::Open([] { return OpenNvml(CARME_FAKE_NVML); },
                              absl::Seconds(2), absl::Milliseconds(200));
}

TEST_CASE("deadline source: passes on why there is no source", "[gpu]") {
  CHECK_THAT(
      DeadlineSource::Open([] { return OpenNvml("libcarme-no-driver.so.1"); },
                           absl::Seconds(2), absl::Seconds(1)),
      StatusIs(absl::StatusCode::kNotFound, "libcarme-no-driver"));
}

TEST_CASE(
    "deadline source: a driver that hangs at a sample is not called again",
    "[gpu]") {
  const auto source = OpenWithDeadline("0 0 gpu_util 5\n0.3 0 slow_ms 3000\n");
  REQUIRE_THAT(source, IsOk());
  CHECK((*source)->Sample(0)->gpu_util_percent == 5);
  absl::SleepFor(absl::Milliseconds(350));
  CHECK_THAT((*source)->Sample(0),
             StatusIs(absl::StatusCode::kDeadlineExceeded, "200ms"));
  CHECK((*source)->is_dead());
  const absl::Time before = absl::Now();
  CHECK_FALSE((*source)->Sample(0).ok());
  CHECK(absl::Now() - before < absl::Milliseconds(100));
}

TEST_CASE("deadline source: a driver that hangs at its start is given up",
          "[gpu]") {
  const auto source = OpenWithDeadline("0 0 slow_ms 2500\n");
  CHECK_THAT(source, StatusIs(absl::StatusCode::kDeadlineExceeded, "2s"));
}

}  // namespace
}  // namespace carme::gpu
