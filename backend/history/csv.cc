#include "backend/history/csv.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr std::string_view kFormulas = "=+-@\t\r\n|";
// The full-width forms, which spreadsheets in some languages treat alike.
constexpr std::string_view kWideFormulas[] = {"\uff1d", "\uff0b", "\uff0d",
                                              "\uff20"};
// Leading spaces that some programs skip.
constexpr std::string_view kSpaces[] = {" ", "\u00a0", "\u3000"};
constexpr size_t kLongestCell = 1000;  // bytes

bool IsFormula(std::string_view cell) {
  const auto begins = [&](std::string_view sign) {
    return cell.starts_with(sign);
  };
  const auto* space = std::begin(kSpaces);
  while (space != std::end(kSpaces)) {
    space = std::find_if(std::begin(kSpaces), std::end(kSpaces), begins);
    if (space != std::end(kSpaces)) cell.remove_prefix(space->size());
  }
  if (cell.empty()) return false;
  return kFormulas.find(cell[0]) != std::string_view::npos ||
         std::any_of(std::begin(kWideFormulas), std::end(kWideFormulas),
                     begins);
}

const char* WordOf(JobEnd end) {
  switch (end) {
    case v1::JOB_END_COMPLETED:
      return "completed";
    case v1::JOB_END_STOPPED:
      return "stopped";
    case v1::JOB_END_TIME_LIMIT:
      return "time limit";
    case v1::JOB_END_FAILED:
      return "failed";
    case v1::JOB_END_NODE_FAIL:
      return "node failed";
    case v1::JOB_END_NOT_SUBMITTED:
      return "not submitted";
    case v1::JOB_END_OUT_OF_MEMORY:
      return "out of memory";
    default:
      return "unknown";
  }
}

std::string TimeText(const std::optional<absl::Time>& time) {
  if (!time) return "";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone());
}

std::string Hours(int64_t seconds) {
  char text[32];
  snprintf(text, sizeof text, "%.3f", static_cast<double>(seconds) / 3600);
  return text;
}

std::string Line(const std::vector<std::string>& cells) {
  return absl::StrCat(
      absl::StrJoin(cells, ",",
                    [](std::string* out, const std::string& text) {
                      out->append(CsvCell(text));
                    }),
      "\r\n");
}

}  // namespace

std::string CsvCell(std::string_view text) {
  std::string cell = Readable(text, kLongestCell);
  if (IsFormula(cell)) cell.insert(0, 1, '\'');
  if (cell.find_first_of("\",\r\n'; ") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string CsvHeader() {
  return Line({"job",       "slurm_job",  "user",      "project",   "name",
               "state",     "reason",     "exit_code", "submitted", "started",
               "ended",     "nodes",      "gpus",      "gpu_type",  "gpu_hours",
               "cpu_hours", "figures_by", "account",   "partition", "image"});
}

std::string CsvRow(const HistoryEntry& entry) {
  const bool in_slurm = entry.slurm_id != SlurmJobId();
  return Line({entry.id.value(),
               in_slurm ? absl::StrCat(entry.slurm_id.value()) : "",
               entry.owner,
               entry.spec.project,
               entry.spec.name,
               WordOf(entry.end),
               entry.reason.text,
               entry.started_at ? absl::StrCat(entry.exit_code) : "",
               TimeText(entry.created_at),
               TimeText(entry.started_at),
               TimeText(entry.ended_at),
               absl::StrJoin(entry.nodes, " "),
               absl::StrCat(entry.gpus),
               entry.gpu_type,
               Hours(entry.gpu_seconds),
               Hours(entry.cpu_seconds),
               entry.accounted ? "Slurm" : "Carme",
               entry.account,
               entry.spec.partition,
               entry.spec.environment.empty() ? entry.spec.image
                                              : entry.spec.environment});
}

}  // namespace carme::backend
