// What was recorded of GPUs, whichever tool recorded it.
#ifndef CARME_COMMON_GSSR_RECORDINGS_H_
#define CARME_COMMON_GSSR_RECORDINGS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace carme::gssr {

// Values of one time by the names of gssr 0.3 (`sm_active`), and
// `imma_active`, `hmma_active`, `dfma_active`, `int_active`, `power_usage` (W)
// and `energy` (mJ since the sample before). What was not measured is absent.
struct RecordedSample {
  double time_s = 0;
  std::map<std::string, double, std::less<>> values;

  std::optional<double> Find(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
};

struct GpuSeries {
  std::string job_id;
  std::string step_id;
  std::string process_id;
  std::string gpu_id;
  std::string hostname;
  std::string command;
  std::string label;
  std::string driver;  // empty: not recorded
  std::optional<double> power_limit_w;
  std::optional<absl::Time> started;  // nullopt: not recorded
  std::vector<RecordedSample> samples;
};

}  // namespace carme::gssr

#endif  // CARME_COMMON_GSSR_RECORDINGS_H_
