// A wait of a few milliseconds. net::Sleep goes by a wheel of 50 ms ticks, and
// the user is waiting while the app starts.
#ifndef CARME_SLURM_HOOKS_AGENT_PAUSE_H_
#define CARME_SLURM_HOOKS_AGENT_PAUSE_H_

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

// 0 when the time has passed, ECANCELED when the loop is stopping, another
// errno when there is no descriptor for a timer.
net::Task<int> Pause(net::EventLoop& loop, absl::Duration delay);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_PAUSE_H_
