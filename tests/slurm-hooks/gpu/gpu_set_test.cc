#include "slurm-hooks/gpu/gpu_set.h"

#include <catch2/catch.hpp>
#include <map>

namespace carme::gpu {
namespace {

std::vector<GpuDevice> FourDevices() {
  std::vector<GpuDevice> devices;
  for (int i = 0; i < 4; ++i) {
    devices.push_back({.index = i,
                       .minor = 3 - i,  // other than the index
                       .uuid = "GPU-" + std::string(1, 'a' + i) + "bcd"});
  }
  return devices;
}

std::vector<int> Select(std::map<std::string, std::string, std::less<>> values,
                        std::vector<GpuDevice> found = FourDevices()) {
  std::vector<int> indexes;
  for (const GpuDevice& device : SelectJobDevices(
           found, [&](std::string_view name) -> std::optional<std::string> {
             const auto at = values.find(name);
             if (at == values.end()) return std::nullopt;
             return at->second;
           })) {
    indexes.push_back(device.index);
  }
  return indexes;
}

bool MayHave(std::map<std::string, std::string, std::less<>> values) {
  return MayHaveDevices(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto at = values.find(name);
        if (at == values.end()) return std::nullopt;
        return at->second;
      });
}

using Indexes = std::vector<int>;

TEST_CASE("GPU set: a job without GPUs has none", "[gpu]") {
  CHECK(Select({{"SLURM_JOB_ID", "7"}}).empty());
  CHECK(Select({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_GPUS", ""}}).empty());
  CHECK(Select({{"CUDA_VISIBLE_DEVICES", ""}}).empty());
  CHECK(Select({{"CUDA_VISIBLE_DEVICES", "NoDevFiles"}}).empty());
}

TEST_CASE("GPU set: the driver is not needed for a job without GPUs", "[gpu]") {
  CHECK_FALSE(MayHave({{"SLURM_JOB_ID", "7"}}));
  CHECK_FALSE(MayHave({{"SLURM_JOB_GPUS", ""}}));
  CHECK(MayHave({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_GPUS", "0"}}));
  CHECK(MayHave({{"CUDA_VISIBLE_DEVICES", "0"}}));
  CHECK(MayHave({}));
}

TEST_CASE("GPU set: another job's GPUs are not selected", "[gpu]") {
  // Slurm counts device files.
  CHECK(Select({{"SLURM_STEP_GPUS", "0"}}) == Indexes{3});
  CHECK(Select({{"SLURM_STEP_GPUS", "0-1"}}) == Indexes{2, 3});
  CHECK(Select({{"SLURM_JOB_GPUS", "2,3"}}) == Indexes{0, 1});
  // The step is a part of the job.
  CHECK(Select({{"SLURM_JOB_GPUS", "0,1,2"}, {"SLURM_STEP_GPUS", "3"}}) ==
        Indexes{0});
}

TEST_CASE("GPU set: takes what the cgroup leaves", "[gpu]") {
  CHECK(Select({{"SLURM_STEP_GPUS", "5"}}, {{.index = 0, .minor = 0}}) ==
        Indexes{0});
}

TEST_CASE("GPU set: reads visible devices as CUDA does", "[gpu]") {
  CHECK(Select({{"CUDA_VISIBLE_DEVICES", "2,0"}}) == Indexes{2, 0});
  CHECK(Select({{"CUDA_VISIBLE_DEVICES", "GPU-b, GPU-cbcd"}}) == Indexes{1, 2});
  CHECK(Select({{"CUDA_VISIBLE_DEVICES", "1,9,2"}}) == Indexes{1});
}

TEST_CASE("GPU set: outside of a job it is all devices", "[gpu]") {
  CHECK(Select({}) == Indexes{0, 1, 2, 3});
}

}  // namespace
}  // namespace carme::gpu
