// Waits between attempts.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_BACKOFF_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_BACKOFF_H_

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// Waits for `delay`, with a finer resolution than the 50 ms of net::Sleep,
// which would be noticed while a user waits for an app. Returns 0 when the time
// has passed, ECANCELED when the loop is stopping, or another errno when no
// timer could be created.
net::Task<int> Pause(net::EventLoop& loop, absl::Duration delay);

// A random duration between half of `delay` and `delay`, so that jobs that
// start together do not retry together.
absl::Duration Jittered(absl::Duration delay);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_BACKOFF_H_
