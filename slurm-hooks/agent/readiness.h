// When the app answers, which is what the user waits for.
#ifndef CARME_SLURM_HOOKS_AGENT_READINESS_H_
#define CARME_SLURM_HOOKS_AGENT_READINESS_H_

#include <functional>
#include <string>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::agent {

struct ReadinessProbe {
  std::string socket;
  std::string path;  // begins with "/"
  std::string host;  // of the request; apps refuse hosts they do not know
};

// Asks by GET until an answer comes below 500: each 20 ms for ten seconds, then
// each 250 ms.
// False: the loop is stopping first, or `runs` says that the app is no more.
// Asks for ever otherwise: whether a slow app is too slow is for its user to
// say.
net::Task<bool> AwaitReady(net::EventLoop& loop, ReadinessProbe probe,
                           std::function<bool()> runs);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_READINESS_H_
