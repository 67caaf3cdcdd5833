// What was recorded, whichever tool wrote it.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_RECORDINGS_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_RECORDINGS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::gssr {

// Values of one time by the names of gssr 0.3 (`sm_active`), and
// `imma_active`, `hmma_active`, `dfma_active`, `int_active`, `power_usage` (W)
// and `energy` (mJ since the sample before). What was not measured is absent.
struct RecordedSample {
  double time_s = 0;
  std::map<std::string, double, std::less<>> values;

  std::optional<double> Find(std::string_view name) const;
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
  std::vector<RecordedSample> samples;
};

struct Recordings {
  std::vector<GpuSeries> series;
  std::vector<std::string> warnings;  // files that could not be read
};

// Reads files and folders. A file that cannot be read is a warning; NOT_FOUND:
// nothing was read.
absl::StatusOr<Recordings> ReadRecordings(
    const std::vector<std::string>& paths);

// One file each. INVALID_ARGUMENT: not of this format. The CSV's first line
// names the columns: `DCGM_FI_PROF_SM_ACTIVE_avg`, `SM_ACTIVE` or `sm_active`.
absl::StatusOr<std::vector<GpuSeries>> ParseCsv(std::string_view text);
absl::StatusOr<std::vector<GpuSeries>> ParseJson(std::string_view text);
absl::StatusOr<std::vector<GpuSeries>> ReadSqlite(const std::string& path);

struct RecordingMeta {
  std::string job_id;
  std::string job_name;
  std::string command;
};
// meta.txt of 2.0, whose arguments are not valid JSON, and of 2.1.
absl::StatusOr<RecordingMeta> ParseMeta(std::string_view text);

// source.json, which Carme's gssr-record writes beside the CSV.
struct RecordingSource {
  std::string driver;
  std::map<std::string, double> power_limits_w;  // by GPU
};
absl::StatusOr<RecordingSource> ParseSource(std::string_view text);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_RECORDINGS_H_
