// How Prolog and Epilog run: bounded, and never a reason to drain a node.
#ifndef CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_
#define CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Runs `body` in a child process and returns 0 whatever becomes of it: slurmd
// drains the node of a Prolog that fails, and a mistake of Carme's must not
// cost other people's jobs a node. A failure, a crash, and a child that had to
// be killed after `limit` are one line in the system log as `name` (facility
// daemon) and on stderr, which slurmd of some releases drops.
int RunGuarded(const char* name, absl::Duration limit,
               const std::function<absl::Status()>& body);

// False, and seen by this process and the bodies it runs, so that one can tell
// whether there is more to do. Lives as long as the process.
bool* SharedBool();

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_GUARDED_RUN_H_
