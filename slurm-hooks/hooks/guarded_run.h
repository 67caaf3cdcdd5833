// Runs a hook with a time limit and without ever draining a node. Hooks run for
// all jobs of the cluster: they are static programs, and end at once for jobs
// that are not Carme's.
#ifndef CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_
#define CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Runs `body` in a child process and always returns 0: slurmd drains the node
// of a Prolog that fails, and an error of Carme must not take a node from other
// users. A failure, a crash, or a child that was killed after `limit` leaves
// one line in the system log as `name` (facility daemon) and on stderr, which
// some releases of slurmd drop.
int RunGuarded(const char* name, absl::Duration limit,
               const std::function<absl::Status()>& body);

// What the last failing body of this process has left; empty: none.
std::string GuardedFailure();

// Returns a flag, initially false, shared between this process and the children
// that run bodies; it returns whether there is more to do. It lives as long as
// the process.
bool* SharedBool();

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_
