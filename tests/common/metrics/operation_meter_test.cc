#include "common/metrics/operation_meter.h"

#include <catch2/catch.hpp>
#include <optional>

namespace carme {
namespace {

constexpr OperationMeter::Families kFamilies = {.total = "calls_total",
                                                .total_help = "Calls.",
                                                .seconds = "call_seconds",
                                                .seconds_help = "Durations.",
                                                .kind = "rpc",
                                                .result = "code"};

std::string TextOf(const OperationMeter& meter) {
  MetricsWriter writer("carme_test_");
  meter.Write(kFamilies, &writer);
  return writer.Take();
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("operation meter: omits operations without a count", "[metrics]") {
  const OperationMeter meter({"a", "b"});
  CHECK_FALSE(Has(TextOf(meter), "{"));
}

TEST_CASE("operation meter: counts a refusal without a duration", "[metrics]") {
  OperationMeter meter({"a", "b"});
  meter.CountWithoutDuration(
      1, static_cast<size_t>(absl::StatusCode::kPermissionDenied));
  const std::string text = TextOf(meter);
  INFO(text);
  CHECK(Has(
      text,
      "\ncarme_test_calls_total{rpc=\"b\",code=\"PERMISSION_DENIED\"} 1\n"));
  CHECK_FALSE(Has(text, "rpc=\"a\""));
  CHECK_FALSE(Has(text, "carme_test_call_seconds_count"));
}

TEST_CASE(
    "operation meter: counts a scope at its end, with its first result "
    "unless another is set",
    "[metrics]") {
  OperationMeter meter({"query"}, {"ok", "failed"});
  std::optional<OperationMeter::Scope> first(std::in_place, &meter, 0, 1);
  std::optional<OperationMeter::Scope> second(std::in_place, &meter, 0, 1);
  CHECK(meter.running() == 2);
  CHECK_FALSE(Has(TextOf(meter), "{"));
  first->SetResult(0);
  first.reset();
  CHECK(meter.running() == 1);
  second.reset();
  CHECK(meter.running() == 0);
  const std::string text = TextOf(meter);
  INFO(text);
  CHECK(Has(text, "\ncarme_test_calls_total{rpc=\"query\",code=\"ok\"} 1\n"));
  CHECK(
      Has(text, "\ncarme_test_calls_total{rpc=\"query\",code=\"failed\"} 1\n"));
  CHECK(Has(text, "\ncarme_test_call_seconds_count{rpc=\"query\"} 2\n"));
}

}  // namespace
}  // namespace carme
