// How soon Slurm is asked again.
#ifndef CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_
#define CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_

#include "absl/time/time.h"

namespace carme::backend {

// From the beginning of a round of questions to that of the next one.
struct PollInterval {
  absl::Duration usual;
  absl::Duration hurried;  // when something is known to have changed
};

// `interval` is the configuration's; `cost` is the processor time that the last
// answer took here, which grows with all jobs that Slurm has. The usual pace
// takes at most 4 % of a processor, the hurried one at most 20 %, and ten
// rounds a second; what costs more than 400 ms is still asked for every ten
// seconds, and every two. Pure.
PollInterval PaceOf(absl::Duration interval, absl::Duration cost);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_POLL_INTERVAL_H_
