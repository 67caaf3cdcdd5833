// Sends the samples of a job to carme-metrics, on a thread of its own, so that
// a slow or unavailable server never blocks the job.
//
// One request at a time. A request that was not accepted is sent again, with
// increasing delays and to the next server; after five minutes it is given up
// and its samples count as dropped. Meanwhile the buffer fills.
#ifndef CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_CLIENT_H_
#define CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_CLIENT_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "carme/v1/samples.pb.h"
#include "common/clock.h"
#include "common/ids.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/sampler/sample_buffer.h"

namespace carme::agent {

struct SampleClientOptions {
  MetricsPlan plan;
  JobId job;
  std::string certificate_pem;  // of the job
  std::string key_pem;
};

// Thread-safe.
class SampleClient {
 public:
  // `buffer` and `clock` must outlive this.
  SampleClient(SampleClientOptions options, sampler::SampleBuffer* buffer,
               const Clock* clock);
  // Drops what is not sent.
  ~SampleClient();

  // Samples of another node of the job. At most 8 MiB wait to be sent; the
  // oldest are dropped, counted for their node.
  void AddNode(carme::v1::NodeSamples samples);

  // Sends what is there, once, and stops. Returns after `timeout` at the
  // latest; at once if the last call failed.
  void Finish(absl::Duration timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_METRICS_SAMPLE_CLIENT_H_
