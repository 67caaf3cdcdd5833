// An evaluation in a process of its own. It may hang, crash, or start programs
// that do: the worker ends all of them.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_CHILD_EVALUATION_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_CHILD_EVALUATION_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/vet.pb.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"

namespace carme::vet {

class ChildEvaluation {
 public:
  // Reports a packet to the worker, from the child.
  using Report = std::function<void(const node::v1::VetPacket&)>;
  using Work = std::function<Outcome(const Report&)>;

  // Forks. REQUIRES: this process has one thread, and is the reaper of its
  // orphans (node::Children::Adopt).
  static absl::StatusOr<ChildEvaluation> Start(uint32_t evaluation,
                                               bool is_optional,
                                               absl::Duration timeout,
                                               const Work& work);

  // Readable when Advance() has something to do; it also has at the deadline.
  int fd() const { return reader_.get(); }
  absl::Time deadline() const { return deadline_; }
  // Returns what the child has reported. The last packet is its result, after
  // which this object is of no more use; all processes of the child are ended.
  std::vector<node::v1::VetPacket> Advance();
  // The same, and ends the child if it has no result yet.
  std::vector<node::v1::VetPacket> Stop();
  uint32_t evaluation() const { return evaluation_; }
  bool has_ended() const { return has_ended_; }

 private:
  ChildEvaluation() = default;
  node::v1::VetPacket Result(node::v1::VetStatus status,
                             const std::string& reason) const;
  node::v1::VetPacket End(bool is_stopped);

  uint32_t evaluation_ = 0;
  bool is_optional_ = false;
  absl::Time start_;
  absl::Time deadline_;
  pid_t pid_ = -1;
  UniqueFd reader_;
  std::string received_;
  std::optional<node::v1::VetPacket> result_;
  bool has_ended_ = false;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_CHILD_EVALUATION_H_
