#include "common/monitoring/certificate_metrics.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("certificate metrics: hold the earliest end of each name once",
          "[monitoring]") {
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  MetricsWriter writer("carme_test_");
  WriteCertificates({{.program = "proxy",
                      .name = "carme://proxy/dmz",
                      .not_after = now + absl::Hours(2)},
                     {.program = "proxy",
                      .name = "carme://proxy/dmz",
                      .not_after = now + absl::Hours(1)},
                     {.program = "job CA",
                      .name = "jobs",
                      .not_after = now - absl::Seconds(5)}},
                    now, &writer);
  const std::string text = writer.Take();
  const std::string samples = text.substr(text.find("gauge\n") + 6);
  CHECK(samples ==
        "carme_test_certificate_remaining_seconds{owner=\"job CA\","
        "name=\"jobs\"} -5\n"
        "carme_test_certificate_remaining_seconds{owner=\"proxy\","
        "name=\"carme://proxy/dmz\"} 3600\n");
}

}  // namespace
}  // namespace carme
