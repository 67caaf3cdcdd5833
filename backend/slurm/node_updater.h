// Drains and resumes nodes for an administrator. The implementation uses the
// impersonator, which does it as SlurmUser.
#ifndef CARME_BACKEND_SLURM_NODE_UPDATER_H_
#define CARME_BACKEND_SLURM_NODE_UPDATER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/slurm/submitter.h"

namespace carme::backend {

// Thread-safe. All calls block for at most the operation time-out; their codes
// are those of PreparedSubmission::SubmitAsUser(). `nodes`: names, at most
// kMaxNodes, each once.
class NodeUpdater {
 public:
  static constexpr int kMaxNodes = 64;

  virtual ~NodeUpdater() = default;
  // Running jobs continue, no new ones start. Nodes that are drained already
  // keep their reason. `reason`: at most 200 printable characters.
  virtual absl::Status Drain(const PosixUser& administrator,
                             const std::vector<std::string>& nodes,
                             const std::string& reason,
                             const std::string& request_id) = 0;
  // Only nodes that Drain() has drained; OK for nodes that are not drained.
  virtual absl::Status Resume(const PosixUser& administrator,
                              const std::vector<std::string>& nodes,
                              const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_NODE_UPDATER_H_
