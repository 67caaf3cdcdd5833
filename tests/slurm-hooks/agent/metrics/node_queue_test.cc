#include "slurm-hooks/agent/metrics/node_queue.h"

#include <catch2/catch.hpp>
#include <string>

#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {
namespace {

constexpr int64_t kNow = 1'800'000'000'000;

carme::v1::NodeSamples SamplesOf(const std::string& node, int count) {
  carme::v1::NodeSamples samples;
  samples.set_node(node);
  samples.set_sent_at_ms(kNow - 50);
  carme::v1::SampleSeries* const series = samples.add_series();
  series->set_name("carme_job_memory_bytes");
  for (int i = 0; i < count; ++i) {
    series->add_times_ms(i == 0 ? kNow : 1000);
    series->add_values(i);
  }
  return samples;
}

TEST_CASE("node queue: drops the oldest, counted for their node", "[agent]") {
  NodeQueue queue(10'000);
  for (int i = 0; i < 20; ++i) queue.Add(SamplesOf("n2", 100), kNow);
  queue.Add(SamplesOf("n3", 1), kNow);
  carme::v1::WriteSamplesRequest request;
  sampler::BatchLimits limits;
  queue.MoveTo(&request, &limits, kNow);
  CHECK(queue.empty());
  uint64_t kept = 0;
  uint64_t dropped = 0;
  for (const auto& node : request.nodes()) {
    kept += sampler::CountSamples(node);
    dropped += node.dropped();
    CHECK((node.node() == "n2" || node.dropped() == 0));
  }
  CHECK(request.ByteSizeLong() <= 11'000);
  CHECK(dropped > 0);
  CHECK(kept + dropped == 20 * 100 + 1);
}

TEST_CASE("node queue: keeps within the limits of a request", "[agent]") {
  NodeQueue queue;
  for (int i = 0; i < 10; ++i) queue.Add(SamplesOf("n2", 10), kNow);
  carme::v1::WriteSamplesRequest request;
  sampler::BatchLimits limits = {
      .max_bytes = 1 << 20, .max_series = 100, .max_samples = 35};
  queue.MoveTo(&request, &limits, kNow);
  CHECK(request.nodes_size() == 3);
  CHECK(limits.max_samples == 5);
  CHECK_FALSE(queue.empty());
}

TEST_CASE("node queue: moves the node's clock on by the time of waiting",
          "[agent]") {
  NodeQueue queue;
  queue.Add(SamplesOf("n2", 1), kNow);
  carme::v1::WriteSamplesRequest request;
  sampler::BatchLimits limits;
  queue.MoveTo(&request, &limits, kNow + 4000);
  REQUIRE(request.nodes_size() == 1);
  CHECK(request.nodes(0).sent_at_ms() == kNow + 3950);
}

TEST_CASE("metrics plan: rejects missing servers and wrong intervals",
          "[agent]") {
  carme::v1::MetricsPlan good;
  good.add_servers("head:9445");
  good.set_ca_pem("PEM");
  good.set_server_name("carme-metrics");
  good.set_interval_ms(5000);
  good.set_gpu_interval_ms(1000);
  const auto plan = ReadMetricsPlan(good);
  REQUIRE(plan.has_value());
  CHECK(plan->interval == absl::Seconds(5));
  CHECK(plan->gpu_interval == absl::Seconds(1));
  carme::v1::MetricsPlan bad = good;
  bad.clear_servers();
  CHECK_FALSE(ReadMetricsPlan(bad).has_value());
  bad = good;
  bad.clear_ca_pem();
  CHECK_FALSE(ReadMetricsPlan(bad).has_value());
  bad = good;
  bad.clear_server_name();
  CHECK_FALSE(ReadMetricsPlan(bad).has_value());
  for (const uint32_t interval_ms : {0U, 99U, 3'600'001U}) {
    bad = good;
    bad.set_interval_ms(interval_ms);
    CHECK_FALSE(ReadMetricsPlan(bad).has_value());
    bad = good;
    bad.set_gpu_interval_ms(interval_ms);
    CHECK_FALSE(ReadMetricsPlan(bad).has_value());
  }
}

}  // namespace
}  // namespace carme::agent
