// How often Slurm is polled.
#ifndef CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_
#define CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_

#include "absl/time/time.h"

namespace carme::backend {

// From the start of one poll to the start of the next.
struct PollInterval {
  absl::Duration normal;
  absl::Duration soon;  // if something is known to have changed
};

// `interval` is configured; `cost` is the CPU time of the last poll in this
// process, which grows with the number of jobs in Slurm. The normal interval
// uses at most 4 % of a CPU and is at most ten seconds; the soon interval uses
// at most 20 %, is at most two seconds and at least 100 ms. Pure.
PollInterval PollIntervalFor(absl::Duration interval, absl::Duration cost);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_
