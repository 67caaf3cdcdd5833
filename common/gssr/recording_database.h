// Writes recordings as the SQLite database of gssr 0.3: the tables data,
// process_metadata and job_metadata. Times are in UTC.
#ifndef CARME_COMMON_GSSR_RECORDING_DATABASE_H_
#define CARME_COMMON_GSSR_RECORDING_DATABASE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/gssr/recordings.h"

struct sqlite3;
struct sqlite3_stmt;

namespace carme::gssr {

// Holds one series in memory at a time. Not thread-safe. All errors are
// INTERNAL. After an error, or without Finish(), the file is incomplete.
class RecordingDatabase {
 public:
  // Creates the file. `metrics` become columns of the table data, beside those
  // that the summary of gssr 0.3 reads; NULL is a value that is missing.
  static absl::StatusOr<std::unique_ptr<RecordingDatabase>> Create(
      const std::string& path, std::set<std::string> metrics);
  ~RecordingDatabase();
  RecordingDatabase(const RecordingDatabase&) = delete;
  RecordingDatabase& operator=(const RecordingDatabase&) = delete;

  absl::Status Add(const GpuSeries& series);
  // Writes the metadata and closes the file. Call once.
  absl::Status Finish();

 private:
  // Of the metadata: a process, and a step of a job.
  struct Process {
    std::string hostname;
    std::vector<std::string> gpu_ids;
    std::optional<absl::Time> started;
    double elapsed_s = 0;
  };
  struct Step {
    std::string label;
    std::string command;
    double interval_s = 0;
  };

  RecordingDatabase(sqlite3* database, std::set<std::string> metrics);
  absl::Status Error() const;
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<sqlite3_stmt*> Prepare(const std::string& sql);
  absl::Status WriteProcesses();
  absl::Status WriteSteps();

  sqlite3* database_;
  std::set<std::string> metrics_;   // columns of the table data
  std::set<std::string> sampled_;   // those of them with a value
  sqlite3_stmt* insert_ = nullptr;  // a row of data
  // By job, step and process; by job and step.
  std::map<std::vector<std::string>, Process> processes_;
  std::map<std::vector<std::string>, Step> steps_;
};

}  // namespace carme::gssr

#endif  // CARME_COMMON_GSSR_RECORDING_DATABASE_H_
