// The measured links between nodes: which are bad, and which node is guilty.
// Functions over values.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_LINK_MATRIX_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_LINK_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slurm-hooks/vet/config/vet_config.h"

namespace carme::vet {

// The measurement of one pair.
struct Link {
  size_t a = 0;
  size_t b = 0;
  // Median round trip; by NCCL: median duration of a small sum.
  double latency_s = 0;
  // In bytes a second, the slower direction; by NCCL: of the bus, the slower
  // end.
  double bandwidth = 0;
  std::string problem{};    // why it could not be measured; else empty
  std::string skipped{};    // why it was not to be measured; else empty
  uint32_t evaluation = 0;  // position in the configuration
  bool is_by_nccl = false;
};

struct BadLink {
  size_t a = 0;
  size_t b = 0;
  std::string reason;  // names both ends
};

// Compares with the limits of the configuration: min_bandwidth, max_latency and
// min_ratio, a share of the median bandwidth of at least three links. NCCL's
// bandwidth must exceed min_bandwidth. Skipped links are not bad.
std::vector<BadLink> FindBadLinks(const std::vector<Link>& links,
                                  const Parameters& limits,
                                  const std::vector<std::string>& names);

// The nodes to which the bad links are due: those with more bad links than each
// of their partners. The other bad links remain, as their ends are equally
// suspect.
struct Attribution {
  std::vector<size_t> guilty;      // nodes
  std::vector<BadLink> undecided;  // links
};
Attribution Attribute(std::vector<BadLink> bad);

// Chooses nodes among the candidates so that no bad link is between them; in
// doubt, the earlier nodes.
std::vector<size_t> WithoutBadLinks(std::vector<size_t> candidates,
                                    const std::vector<BadLink>& bad);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_LINK_MATRIX_H_
