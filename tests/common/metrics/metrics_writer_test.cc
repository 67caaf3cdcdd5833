#include "common/metrics/metrics_writer.h"

#include <catch2/catch.hpp>
#include <limits>

namespace carme {
namespace {

TEST_CASE("metrics writer: escapes values of labels", "[monitoring]") {
  MetricsWriter writer("carme_test_");
  writer.Family("files", MetricType::kGauge, "Files.");
  writer.Sample({{"name", "a\"b\\c\nd"}}, 1);
  CHECK(writer.Take() ==
        "# HELP carme_test_files Files.\n# TYPE carme_test_files gauge\n"
        "carme_test_files{name=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST_CASE("metrics writer: writes large counters exactly", "[monitoring]") {
  MetricsWriter writer("carme_test_");
  writer.Counter("bytes_total", "Bytes.", uint64_t{18446744073709551615u});
  writer.Gauge("ratio", "Ratio.", 0.25);
  writer.Gauge("none", "None.", std::numeric_limits<double>::infinity());
  const std::string text = writer.Take();
  INFO(text);
  CHECK(text.find("\ncarme_test_bytes_total 18446744073709551615\n") !=
        std::string::npos);
  CHECK(text.find("\ncarme_test_ratio 0.25\n") != std::string::npos);
  CHECK(text.find("\ncarme_test_none +Inf\n") != std::string::npos);
}

TEST_CASE("metrics writer: writes cumulative buckets, sum and count",
          "[monitoring]") {
  DurationHistogram histogram;
  histogram.Observe(absl::Milliseconds(1));
  histogram.Observe(absl::Milliseconds(2));
  histogram.Observe(absl::Hours(1));
  histogram.Observe(absl::Seconds(-5));
  MetricsWriter writer("carme_test_");
  writer.Family("seconds", MetricType::kHistogram, "Durations.");
  writer.Histogram({{"rpc", "A/B"}}, histogram.counts());
  const std::string text = writer.Take();
  INFO(text);
  for (const char* line :
       {"# TYPE carme_test_seconds histogram\n",
        "\ncarme_test_seconds_bucket{rpc=\"A/B\",le=\"0.001\"} 2\n",
        "\ncarme_test_seconds_bucket{rpc=\"A/B\",le=\"0.005\"} 3\n",
        "\ncarme_test_seconds_bucket{rpc=\"A/B\",le=\"300\"} 3\n",
        "\ncarme_test_seconds_bucket{rpc=\"A/B\",le=\"+Inf\"} 4\n",
        "\ncarme_test_seconds_sum{rpc=\"A/B\"} 3600.003\n",
        "\ncarme_test_seconds_count{rpc=\"A/B\"} 4\n"}) {
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

}  // namespace
}  // namespace carme
