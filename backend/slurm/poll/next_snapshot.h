// What follows from the last snapshot and what Slurm said, or did not say.
#ifndef CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_
#define CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/slurm/poll/async_slurm_query.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How long Slurm may be silent before it counts as unreachable.
inline constexpr absl::Duration kUnreachableAfter = absl::Seconds(3);

// Pure. `answer` is absent while a question hangs. When Slurm is unreachable,
// jobs, nodes and partitions stay as they were last known; as does everything
// but the jobs that an answer is about, where it is about some only.
SlurmSnapshotPtr NextSnapshot(const SlurmSnapshot& last,
                              std::optional<SlurmAnswer> answer,
                              absl::Time asked_at, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_NEXT_SNAPSHOT_H_
