// Measures the link between two nodes over one TCP connection: the round trip
// of small messages, and the bandwidth in both directions. Blocks: call it in a
// process of its own.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_LINK_PROBE_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_LINK_PROBE_H_

#include <functional>
#include <string>

#include "absl/time/time.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"

namespace carme::vet {

inline constexpr double kDefaultLinkBytes = 64.0 * 1024 * 1024;

struct LinkProbe {
  std::string key;                   // of this measurement; both nodes have it
  double bytes = kDefaultLinkBytes;  // in each direction
  absl::Duration timeout;
};

// Listens, calls `on_listening` with the port, and answers the first node that
// has the key. Without metrics: the other node measures.
Outcome AnswerLinkProbe(const LinkProbe& probe,
                        const std::function<void(int port)>& on_listening);

// Measures. Metrics: latency_s, send_bytes_per_second,
// receive_bytes_per_second.
Outcome MeasureLink(const LinkProbe& probe, const std::string& address,
                    int port);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_LINK_PROBE_H_
