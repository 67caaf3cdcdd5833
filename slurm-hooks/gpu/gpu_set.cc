#include "slurm-hooks/gpu/gpu_set.h"

#include <stdlib.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace carme::gpu {
namespace {

// Slurm's lists may have ranges: 0-3,6.
std::vector<int> ParseIndexes(const std::string& text) {
  std::vector<int> indexes;
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first = 0, last = 0;
    if (!absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || last - first > 1024) {
      continue;
    }
    for (int i = first; i <= last; ++i) indexes.push_back(i);
  }
  return indexes;
}

int FileNumber(const GpuDevice& device) {
  return device.minor.value_or(device.index);
}

bool IsNamed(const GpuDevice& device, absl::string_view name) {
  int index = 0;
  if (absl::SimpleAtoi(name, &index)) return device.index == index;
  // A UUID may be shortened, as in CUDA.
  return !name.empty() &&
         absl::string_view(device.uuid).substr(0, name.size()) == name;
}

// The list ends at the first that is invalid, as in CUDA.
std::vector<GpuDevice> SelectVisible(const std::vector<GpuDevice>& found,
                                     const std::string& list) {
  std::vector<GpuDevice> selected;
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(part);
    const auto device =
        std::find_if(found.begin(), found.end(),
                     [&](const GpuDevice& d) { return IsNamed(d, name); });
    if (device == found.end()) break;
    selected.push_back(*device);
  }
  return selected;
}

}  // namespace

std::optional<std::string> ProcessEnvironment(std::string_view name) {
  const char* const value = getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

bool MayHaveDevices(const Environment& environment) {
  for (const char* const name :
       {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES"}) {
    if (const auto list = environment(name)) return !list->empty();
  }
  return !environment("SLURM_JOB_ID");
}

std::vector<GpuDevice> SelectJobDevices(const std::vector<GpuDevice>& found,
                                        const Environment& environment) {
  for (const char* const name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}) {
    const auto list = environment(name);
    if (!list) continue;
    const std::vector<int> indexes = ParseIndexes(*list);
    if (indexes.size() == found.size()) return found;
    std::vector<GpuDevice> selected;
    for (const GpuDevice& device : found) {
      if (std::find(indexes.begin(), indexes.end(), FileNumber(device)) !=
          indexes.end()) {
        selected.push_back(device);
      }
    }
    return selected;
  }
  for (const char* const name :
       {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    if (const auto list = environment(name)) {
      return SelectVisible(found, *list);
    }
  }
  if (environment("SLURM_JOB_ID")) return {};
  return found;
}

}  // namespace carme::gpu
