// Utilization of the cluster over time, from snapshots: steps of five minutes
// for two days, of an hour for two months, of a day for five years.
#ifndef CARME_BACKEND_HISTORY_UTILIZATION_H_
#define CARME_BACKEND_HISTORY_UTILIZATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "carme/v1/cluster_utilization.pb.h"
#include "common/clock.h"

namespace carme::backend {

struct UtilizationSample {
  int used = 0;
  int total = 0;  // on nodes that are up
  int down = 0;
};

// By GPU type; "": CPUs. At most 32 types, by name.
std::map<std::string, UtilizationSample> SampleOf(const SlurmSnapshot& cluster);

struct UtilizationPoint {
  absl::Time at;
  double used = 0, total = 0, down = 0;  // averages
};
struct UtilizationHistory {
  absl::Time from;
  absl::Time to;
  absl::Duration step;
  std::map<std::string, std::vector<UtilizationPoint>> series{};  // by GPU type
};

// Thread-safe; call RecordSample from one thread.
class UtilizationRecorder {
 public:
  // All must outlive this; the two databases may be the same.
  UtilizationRecorder(Database* database, Database* reading,
                      const Scheduler* scheduler, const Clock* clock)
      : database_(*database),
        reading_(*reading),
        scheduler_(*scheduler),
        clock_(*clock) {}

  // Adds the current utilization for the time since the last call, at most two
  // minutes; does nothing while Slurm does not respond. Call every minute.
  void RecordSample();
  // INVALID_ARGUMENT: unknown range; other errors are the database's.
  absl::StatusOr<UtilizationHistory> Read(v1::UtilizationRange range) const;

 private:
  Database& database_;
  Database& reading_;
  const Scheduler& scheduler_;
  const Clock& clock_;
  absl::Time last_ = absl::InfinitePast();
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_UTILIZATION_H_
