// Everything that is sampled of one job on one node, and the socket on which
// its programs report values. Used by carme-agent and by carme-node-agent.
#ifndef CARME_SLURM_HOOKS_SAMPLER_NODE_SAMPLER_H_
#define CARME_SLURM_HOOKS_SAMPLER_NODE_SAMPLER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/clock.h"
#include "slurm-hooks/sampler/metrics_socket.h"
#include "slurm-hooks/sampler/program_metrics.h"
#include "slurm-hooks/sampler/sample_buffer.h"
#include "slurm-hooks/sampler/sampler.h"

namespace carme::sampler {

struct NodeSamplerOptions {
  std::string node;          // Slurm's name
  std::string slurm_job;     // Slurm's id
  std::string agent_step{};  // ProcessSourceOptions'
  std::string directory;     // the job's runtime directory, for the socket
  absl::Duration interval = absl::Seconds(5);
};

// Returns the value of SLURM_JOB_ID in "NAME=value" entries; may be empty.
std::string SlurmJobOf(const std::vector<std::string>& variables);
// That of SLURM_STEP_ID.
std::string SlurmStepOf(const std::vector<std::string>& variables);

// Thread-safe after its construction.
class NodeSampler {
 public:
  // Starts to sample. What is not available on this node is left out, and
  // logged. `more` are further sources, such as the GPUs of the job; they get
  // `buffer()` with each call. `clock` must outlive this.
  NodeSampler(const NodeSamplerOptions& options, std::vector<TimedSource> more,
              const Clock* clock);

  SampleBuffer& buffer() { return buffer_; }
  // A piece of the output of a batch program.
  void AddOutput(std::string_view piece);
  // Samples once more and stops. Call at most once, when the job has ended.
  void Finish() { sampler_->Finish(); }
  // The path for CARME_METRICS_SOCKET; empty: there is no socket.
  const std::string& socket_path() const { return socket_path_; }

 private:
  std::vector<TimedSource> MakeSources(const NodeSamplerOptions& options,
                                       std::vector<TimedSource> more);

  SampleBuffer buffer_;
  ProgramMetrics* program_ = nullptr;  // owned by the sampler
  std::string socket_path_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<MetricsSocket> socket_;  // uses the sampler's source
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_NODE_SAMPLER_H_
