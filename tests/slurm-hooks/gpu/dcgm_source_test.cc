#include "slurm-hooks/gpu/dcgm_source.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "slurm-hooks/gpu/deadline_source.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::gpu {
namespace {

using testing::WaitFor;

constexpr absl::Duration kUpdateInterval = absl::Milliseconds(100);

// As the test doubles name their devices.
std::string UuidOf(unsigned number) {
  return absl::StrFormat("GPU-%08x-0000-0000-0000-000000000000",
                         number + 0xfa4e0000u);
}

// The test double of DCGM with these rows.
class DcgmDouble {
 public:
  explicit DcgmDouble(const std::string& rows) {
    REQUIRE_THAT(WriteFile(directory_.File("rows"), rows, 0600), IsOk());
    setenv("FAKE_DCGM_SERIES", directory_.File("rows").c_str(), 1);
    setenv("FAKE_DCGM_LOG", directory_.File("log").c_str(), 1);
  }
  ~DcgmDouble() { unsetenv("FAKE_DCGM_LOG"); }

  static DcgmOptions Options() {
    return {.host_engine = "127.0.0.1:5555",
            .interval = kUpdateInterval,
            .libraries = {CARME_FAKE_DCGM}};
  }
  static auto TryOpen(const std::vector<std::string>& uuids = {UuidOf(0)}) {
    return OpenDcgm(Options(), uuids);
  }
  static std::unique_ptr<GpuSource> Open(
      const std::vector<std::string>& uuids = {UuidOf(0)}) {
    auto source = TryOpen(uuids);
    REQUIRE_THAT(source, IsOk());
    return *std::move(source);
  }
  // Each request once: what, GPU, field.
  std::set<std::string> Requests() const {
    const std::string log = ReadFile(directory_.File("log")).value_or("");
    return absl::StrSplit(log, '\n', absl::SkipEmpty());
  }

 private:
  TempDir directory_;
};

// The first sample with values.
GpuSample FirstSample(GpuSource* source, int index = 0) {
  GpuSample sample;
  REQUIRE(WaitFor([&] {
    const auto read = source->Sample(index);
    REQUIRE_THAT(read, IsOk());
    sample = *read;
    return sample.dram_active.has_value();
  }));
  return sample;
}

// After a call that hung, so that two threads never use the double.
bool WaitUntilClosed(const DcgmDouble& dcgm) {
  return WaitFor([&] { return dcgm.Requests().contains("shutdown 0 0"); });
}

TEST_CASE("DCGM: a node without its library has no source", "[gpu]") {
  DcgmOptions options = DcgmDouble::Options();
  options.libraries = {"libcarme-no-dcgm.so.4", "libcarme-no-dcgm.so.3"};
  CHECK_THAT(OpenDcgm(options, {UuidOf(0)}),
             StatusIs(absl::StatusCode::kNotFound, "libcarme-no-dcgm.so.4"));
  options.libraries = {"libm.so.6"};
  CHECK_THAT(OpenDcgm(options, {UuidOf(0)}),
             StatusIs(absl::StatusCode::kUnimplemented, "dcgmInit"));
}

TEST_CASE("DCGM: a host engine that is not reached is an error", "[gpu]") {
  const DcgmDouble dcgm("0 0 call.connect -21\n");
  CHECK_THAT(dcgm.TryOpen(),
             StatusIs(absl::StatusCode::kUnavailable, "dcgmConnect: The con"));
  // What was begun is ended.
  CHECK(dcgm.Requests() == std::set<std::string>{"shutdown 0 0"});
}

TEST_CASE("DCGM: a library with other structures is not used", "[gpu]") {
  const DcgmDouble other_options("0 0 connect_version 3\n");
  CHECK_THAT(other_options.TryOpen(),
             StatusIs(absl::StatusCode::kUnavailable, "API version mismatch"));
  const DcgmDouble other_values("0 0 value_version 3\n0 0 field.1002 0.5\n");
  CHECK_THAT(other_values.TryOpen(), StatusIs(absl::StatusCode::kNotFound, ""));
}

TEST_CASE("DCGM: a host engine that must not profile is an error", "[gpu]") {
  const DcgmDouble dcgm("0 0 watch.1002 -29\n");
  CHECK_THAT(dcgm.TryOpen(),
             StatusIs(absl::StatusCode::kUnavailable,
                      "dcgmWatchFields: This operation requires root"));
}

TEST_CASE("DCGM: without a GPU of the job nothing is watched", "[gpu]") {
  const DcgmDouble dcgm("0 0 devices 2\n");
  CHECK_THAT(dcgm.TryOpen({}), StatusIs(absl::StatusCode::kNotFound, ""));
  CHECK_THAT(dcgm.TryOpen({UuidOf(7), ""}),
             StatusIs(absl::StatusCode::kNotFound, "127.0.0.1:5555"));
  CHECK(dcgm.Requests() == std::set<std::string>{"live 0 54", "live 1 54",
                                                 "disconnect 0 0",
                                                 "shutdown 0 0"});
}

TEST_CASE("DCGM: of GPUs of other jobs only the UUID is read", "[gpu]") {
  // The host engine counts the GPUs in another order than NVML.
  const DcgmDouble dcgm(
      "0 0 devices 3\n0 0 uuid 2\n0 2 uuid 0\n"
      "0 0 field.1005 0.1\n0 1 field.1005 0.2\n0 2 field.1005 0.3\n");
  const auto source = dcgm.Open({UuidOf(0)});
  const auto devices = source->Devices();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].uuid == UuidOf(0));
  CHECK(devices[0].index == 2);
  CHECK(FirstSample(source.get(), 2).dram_active == 0.3);
  CHECK_THAT(source->Sample(0), StatusIs(absl::StatusCode::kNotFound, ""));
  CHECK_THAT(source->Sample(-1), StatusIs(absl::StatusCode::kNotFound, ""));
  for (const std::string& request : dcgm.Requests()) {
    INFO(request);
    const std::vector<std::string> parts = absl::StrSplit(request, ' ');
    CHECK((parts[1] == "2" || (parts[0] == "live" && parts[2] == "54")));
  }
}

TEST_CASE("DCGM: a divided GPU may have other jobs and is not watched",
          "[gpu]") {
  const DcgmDouble divided("0 0 mig 1\n0 0 field.1005 0.5\n");
  CHECK_THAT(divided.TryOpen(),
             StatusIs(absl::StatusCode::kNotFound, "undivided"));
  const DcgmDouble one_divided(
      "0 0 devices 2\n0 0 mig 1\n0 1 mig 0\n0 1 field.1005 0.5\n");
  const auto source = one_divided.Open({UuidOf(0), UuidOf(1)});
  REQUIRE(source->Devices().size() == 1);
  CHECK(source->Devices()[0].index == 1);
  CHECK_FALSE(one_divided.Requests().contains("watch 0 1002"));
}

TEST_CASE("DCGM: blank values are absent, zero is a value", "[gpu]") {
  const DcgmDouble dcgm(
      "0 0 blank.1002 0\n0 0 blank.1003 1\n0 0 blank.1004 2\n"
      "0 0 blank.1006 3\n0 0 status.1007 -17\n0 0 field.1008 -1\n"
      "0 0 field.1005 0\n"
      "0 0 blank.1009 0\n0 0 blank.1010 2\n0 0 blank.1011 3\n"
      "0 0 field.1012 0\n");
  const auto source = dcgm.Open();
  const GpuSample sample = FirstSample(source.get());
  CHECK_FALSE(sample.sm_active);
  CHECK_FALSE(sample.sm_occupancy);
  CHECK_FALSE(sample.tensor_active);
  CHECK_FALSE(sample.fp64_active);
  CHECK_FALSE(sample.fp32_active);
  CHECK_FALSE(sample.fp16_active);
  CHECK_FALSE(sample.pcie_tx);
  CHECK_FALSE(sample.pcie_rx);
  CHECK_FALSE(sample.nvlink_tx);
  CHECK(sample.dram_active == 0);
  CHECK(sample.nvlink_rx == 0);
}

TEST_CASE("DCGM: values of a time before the job are no samples", "[gpu]") {
  const DcgmDouble dcgm("0 0 kept 1\n0 0 field.1005 0.5\n");
  const auto source = dcgm.Open();
  CHECK_FALSE(source->Sample(0)->dram_active);
  CHECK(FirstSample(source.get()).dram_active == 0.5);
}

TEST_CASE("DCGM: values that are no longer updated are absent", "[gpu]") {
  const DcgmDouble dcgm("0 0 field.1005 0.5\n0 0 stopped 6\n");
  const auto source = dcgm.Open();
  CHECK(FirstSample(source.get()).dram_active == 0.5);
  CHECK(WaitFor([&] {
    const auto sample = source->Sample(0);
    return sample.ok() && !sample->dram_active;
  }));
  absl::SleepFor(kUpdateInterval);
  CHECK_FALSE(source->Sample(0)->dram_active);
}

TEST_CASE("DCGM: a GPU without links has its activity", "[gpu]") {
  const DcgmDouble dcgm(
      "0 0 watch.1011 -36\n0 0 field.1005 0.5\n0 0 field.1009 7\n");
  const auto source = dcgm.Open();
  CHECK_FALSE(FirstSample(source.get()).pcie_tx);
  CHECK_FALSE(dcgm.Requests().contains("value 0 1009"));
}

TEST_CASE("DCGM: a lost connection is an error", "[gpu]") {
  const DcgmDouble dcgm("0 0 field.1005 0.5\n0.5 0 call.values -21\n");
  const auto source = dcgm.Open();
  CHECK(
      WaitFor([&] { return absl::IsUnavailable(source->Sample(0).status()); }));
}

TEST_CASE("DCGM: a host engine that hangs is given up", "[gpu]") {
  const auto open = [](absl::Duration timeout) {
    return DeadlineSource::Open([] { return DcgmDouble::TryOpen(); }, timeout,
                                absl::Milliseconds(100));
  };
  {
    const DcgmDouble connects("0 0 slow_ms.connect 300\n");
    CHECK_THAT(open(absl::Milliseconds(100)),
               StatusIs(absl::StatusCode::kDeadlineExceeded, "100ms"));
    REQUIRE(WaitUntilClosed(connects));
  }
  const DcgmDouble answers("0.2 0 slow_ms.values 300\n");
  const auto source = open(absl::Seconds(5));
  REQUIRE_THAT(source, IsOk());
  CHECK(WaitFor(
      [&] { return absl::IsDeadlineExceeded((*source)->Sample(0).status()); }));
  CHECK((*source)->is_dead());
  CHECK(WaitUntilClosed(answers));
}

TEST_CASE("DCGM: names the test double, and forgets its watches at the end",
          "[gpu]") {
  const DcgmDouble dcgm("");
  {
    const GpuSourceInfo info = dcgm.Open()->Info();
    CHECK(info.kind == "dcgm");
    CHECK(info.driver_version == "test double 4.0");
    CHECK(info.library_path == CARME_FAKE_DCGM);
  }
  CHECK(dcgm.Requests().contains("disconnect 0 0"));
  CHECK(dcgm.Requests().contains("shutdown 0 0"));
}

TEST_CASE("DCGM: connects to a socket", "[gpu]") {
  const DcgmDouble dcgm("");
  DcgmOptions options = DcgmDouble::Options();
  options.host_engine = "/run/nv-hostengine";
  CHECK_THAT(OpenDcgm(options, {UuidOf(0)}), IsOk());
}

TEST_CASE("DCGM: reads activity and rates", "[gpu]") {
  const DcgmDouble dcgm(
      "0 0 field.1002 0.8\n0 0 field.1003 0.4\n0 0 field.1004 0.3\n"
      "0 0 field.1005 0.25\n0 0 field.1006 0.125\n0 0 field.1007 0.0625\n"
      "0 0 field.1008 1.0\n0 0 field.1009 4096000000\n0 0 field.1010 10\n"
      "0 0 field.1011 300000000000\n0 0 field.1012 12\n");
  const GpuSample sample = FirstSample(dcgm.Open().get());
  CHECK(sample.sm_active == 0.8);
  CHECK(sample.sm_occupancy == 0.4);
  CHECK(sample.tensor_active == 0.3);
  CHECK(sample.dram_active == 0.25);
  CHECK(sample.fp64_active == 0.125);
  CHECK(sample.fp32_active == 0.0625);
  CHECK(sample.fp16_active == 1.0);
  CHECK(sample.pcie_tx == 4096000000);  // above 2e9: kept
  CHECK(sample.pcie_rx == 10);
  CHECK(sample.nvlink_tx == 300000000000);
  CHECK(sample.nvlink_rx == 12);
  CHECK_FALSE(sample.gpu_util_percent);
  CHECK_FALSE(sample.imma_active);
}

}  // namespace
}  // namespace carme::gpu
