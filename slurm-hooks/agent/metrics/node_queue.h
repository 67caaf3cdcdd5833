// Samples of the other nodes of a job that wait to be sent, in bounded memory.
#ifndef CARME_SLURM_HOOKS_AGENT_METRICS_NODE_QUEUE_H_
#define CARME_SLURM_HOOKS_AGENT_METRICS_NODE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "carme/v1/samples.pb.h"
#include "slurm-hooks/sampler/sample_buffer.h"

namespace carme::agent {

// Not thread-safe.
class NodeQueue {
 public:
  static constexpr size_t kMaxBytes = 8 << 20;
  explicit NodeQueue(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Drops the oldest messages to make room. The samples that were dropped are
  // added to `dropped` of the next message of their node.
  void Add(carme::v1::NodeSamples samples, int64_t now_ms);
  // Moves messages into the request as long as they are within the limits, and
  // reduces the limits. `sent_at_ms` is increased by the time in the queue, so
  // that it still is the node's clock now.
  void MoveTo(carme::v1::WriteSamplesRequest* request,
              sampler::BatchLimits* limits, int64_t now_ms);
  bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    carme::v1::NodeSamples samples;
    size_t bytes = 0;
    int64_t received_ms = 0;
  };
  struct Gap {
    uint64_t missed = 0;
    uint64_t dropped = 0;
  };
  void DropOldest();

  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::deque<Waiting> waiting_;
  std::map<std::string, Gap> gaps_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_METRICS_NODE_QUEUE_H_
