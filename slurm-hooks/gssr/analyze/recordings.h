// Reads recordings, whichever tool wrote them.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_RECORDINGS_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_RECORDINGS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/gssr/recordings.h"

namespace carme::gssr {

// DCGM's blanks, which gssr 0.3 and early versions of gssr-record wrote as
// values: 2^47 and more of a real number, 0x7ffffffffffffff0 and more of an
// integer. Such a value was not measured.
inline bool IsBlank(double value) { return value >= 0x1p47; }

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

// The times of public recordings: of meta.txt, 2026-01-31T10:00:00+0100; of
// gssr 0.3, 2026-01-31 10:00:00.123, which counts as UTC, or seconds since
// 1970.
std::optional<absl::Time> ParseRecordedTime(std::string_view text);

struct RecordingMeta {
  std::string job_id;
  std::string job_name;
  std::string command;
  std::optional<absl::Time> started;
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
