// An ended job in the history, and the filters for queries.
#ifndef CARME_BACKEND_HISTORY_HISTORY_ENTRY_H_
#define CARME_BACKEND_HISTORY_HISTORY_ENTRY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "carme/v1/history.pb.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme::backend {

struct HistoryEntry {
  JobId id{};
  std::string owner{};
  Uid owner_uid{};
  JobSpec spec{};
  JobEnd end = v1::JOB_END_UNSPECIFIED;
  DisplayText reason{};
  int exit_code = 0;
  SlurmJobId slurm_id{};
  // Submission time in Slurm; absent: not recorded.
  std::optional<absl::Time> slurm_submitted_at{};
  std::vector<std::string> nodes{};
  absl::Time created_at{};
  std::optional<absl::Time> started_at{};
  absl::Time ended_at{};
  std::string gpu_type{};  // comma-separated
  int64_t gpus = 0;
  int64_t gpu_seconds = 0;
  int64_t cpu_seconds = 0;
  bool accounted = false;
  std::string account{};
};

using Whose = v1::HistoryScope;

struct HistoryFilter {
  Whose whose = v1::HISTORY_SCOPE_MINE;
  std::string project{};
  std::string username{};
  std::string search{};
  std::vector<JobEnd> ends{};
  std::string gpu_type{};
  std::optional<absl::Time> from{};
  std::optional<absl::Time> to{};
};

// The start of a page: after this entry.
struct HistoryPlace {
  absl::Time ended_at{};
  JobId id{};
};

struct HistoryPage {
  std::vector<HistoryEntry> entries{};
  std::optional<HistoryPlace> next{};
};

using UsageBy = v1::UsageBy;

struct UsageQuery {
  Whose whose = v1::HISTORY_SCOPE_MINE;
  std::string project{};
  absl::Time from{};
  absl::Time to{};
  UsageBy by = v1::USAGE_BY_USER;
};

struct UsageSum {
  std::string key{};
  int64_t jobs = 0;
  double gpu_seconds = 0;
  double cpu_seconds = 0;
  int64_t accounted_jobs = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_HISTORY_ENTRY_H_
