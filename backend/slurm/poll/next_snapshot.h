// Computes the next snapshot from the last one and the result of a query.
#ifndef CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_
#define CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/slurm/poll/async_slurm_query.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// A query that takes longer means that Slurm is unreachable.
inline constexpr absl::Duration kUnreachableAfter = absl::Seconds(3);

// SlurmSnapshot::problem while a query runs for longer.
inline constexpr char kNoResponse[] = "slurmctld does not respond";

// Pure. `answer` is empty while a query runs. If Slurm is unreachable, jobs,
// nodes and partitions keep their last known values. A partial result replaces
// only the jobs that it is about.
SlurmSnapshotPtr NextSnapshot(const SlurmSnapshot& last,
                              std::optional<SlurmQueryResult> answer,
                              absl::Time asked_at, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_
