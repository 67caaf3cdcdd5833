#include "slurm-hooks/agent/metrics/job_metrics.h"

#include <utility>

#include "absl/time/time.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kLastCallTimeout = absl::Seconds(2);

}  // namespace

JobMetrics::JobMetrics(const JobFacts& facts, SampleClientOptions options,
                       std::vector<sampler::TimedSource> more,
                       const Clock* clock)
    : node_({.node = facts.environment.node,
             .slurm_job = sampler::SlurmJobOf(facts.variables),
             .directory = facts.environment.directory,
             .interval = options.plan.interval},
            std::move(more), clock),
      client_(std::move(options), &node_.buffer(), clock) {}

void JobMetrics::AddNode(carme::v1::NodeSamples samples) {
  client_.AddNode(std::move(samples));
}

void JobMetrics::Finish() {
  node_.Finish();
  client_.Finish(kLastCallTimeout);
}

}  // namespace carme::agent
