// The metrics of one job: samples this node, takes the samples of its other
// nodes, and sends all to carme-metrics.
#ifndef CARME_SLURM_HOOKS_AGENT_METRICS_JOB_METRICS_H_
#define CARME_SLURM_HOOKS_AGENT_METRICS_JOB_METRICS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "carme/v1/samples.pb.h"
#include "common/clock.h"
#include "common/ids.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/metrics/sample_client.h"
#include "slurm-hooks/sampler/node_sampler.h"

namespace carme::agent {

// Thread-safe.
class JobMetrics {
 public:
  // Starts to sample and to send. `more` are further sources of this node.
  // `clock` must outlive this.
  JobMetrics(const JobFacts& facts, SampleClientOptions options,
             std::vector<sampler::TimedSource> more, const Clock* clock);

  // A piece of the output of the batch program.
  void AddOutput(std::string_view piece) { node_.AddOutput(piece); }
  // Samples of another node of the job.
  void AddNode(carme::v1::NodeSamples samples);
  // For CARME_METRICS_SOCKET; empty: there is no socket.
  const std::string& socket_path() const { return node_.socket_path(); }

  // Sends the last samples. Call once, when the job has ended; takes two
  // seconds at most.
  void Finish();

 private:
  sampler::NodeSampler node_;
  SampleClient client_;  // uses the buffer of `node_`
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_METRICS_JOB_METRICS_H_
