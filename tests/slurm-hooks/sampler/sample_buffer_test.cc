#include "slurm-hooks/sampler/sample_buffer.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace carme::sampler {
namespace {

constexpr int64_t kNow = 1'800'000'000'000;

SampleBuffer::Limits SmallLimits() {
  return {.max_age = absl::Minutes(5),
          .max_samples = 100,
          .max_series = 4,
          .max_events = 3};
}

TEST_CASE("sample buffer: drops and counts what is not a number", "[sampler]") {
  SampleBuffer buffer("n1");
  const auto series =
      buffer.AddSeries(buffer.AddSource("proc", "", ""), "a", {});
  buffer.Add(series, kNow, std::nan(""));
  buffer.Add(series, kNow, std::numeric_limits<double>::infinity());
  buffer.Add(SampleBuffer::kNoSeries, kNow, 1);
  CHECK(buffer.sample_count() == 0);
  const auto taken = buffer.Take(kNow, {});
  REQUIRE(taken.has_value());
  CHECK(taken->dropped() == 3);
  CHECK(taken->series().empty());
}

TEST_CASE("sample buffer: drops a time that does not follow", "[sampler]") {
  SampleBuffer buffer("n1");
  const auto series = buffer.AddSeries(1, "a", {});
  buffer.Add(series, kNow, 1);
  buffer.Add(series, kNow, 2);
  buffer.Add(series, kNow - 1000, 3);
  CHECK(buffer.sample_count() == 1);
  CHECK(buffer.Take(kNow, {})->dropped() == 2);
  // The clock was set back: earlier times are accepted once the others are
  // sent.
  buffer.Add(series, kNow - 1000, 3);
  CHECK(buffer.sample_count() == 1);
}

TEST_CASE("sample buffer: refuses more series than its limit", "[sampler]") {
  SampleBuffer buffer("n1", SmallLimits());
  for (int i = 0; i < 4; ++i) {
    CHECK(buffer.AddSeries(1, "a", {{"gpu", std::to_string(i)}}) !=
          SampleBuffer::kNoSeries);
  }
  CHECK(buffer.AddSeries(1, "a", {{"gpu", "4"}}) == SampleBuffer::kNoSeries);
  // One that exists is found again, and one that ended makes room.
  CHECK(buffer.AddSeries(1, "a", {{"gpu", "1"}}) == 1);
  buffer.EndSeries(1);
  CHECK(buffer.AddSeries(1, "a", {{"gpu", "4"}}) == 1);
}

TEST_CASE("sample buffer: refuses more than eight labels", "[sampler]") {
  SampleBuffer buffer("n1");
  Labels labels;
  for (char name = 'a'; name <= 'i'; ++name)
    labels.emplace(std::string(1, name), std::string());
  CHECK(buffer.AddSeries(1, "a", labels) == SampleBuffer::kNoSeries);
}

TEST_CASE("sample buffer: writes times as differences, and each source",
          "[sampler]") {
  SampleBuffer buffer("n1");
  const uint32_t source = buffer.AddSource("nvml", "570.1", "/lib/libnvml.so");
  const auto series =
      buffer.AddSeries(source, "carme_gpu_power_watts", {{"gpu", "0"}});
  buffer.Add(series, kNow, 1.5);
  buffer.Add(series, kNow + 1000, 2.5);
  buffer.Add(series, kNow + 2500, 3.5);
  buffer.CountMissed(7);
  const auto taken = buffer.Take(kNow + 3000, {});
  REQUIRE(taken.has_value());
  CHECK(taken->node() == "n1");
  CHECK(taken->sent_at_ms() == kNow + 3000);
  CHECK(taken->missed() == 7);
  REQUIRE(taken->sources_size() == 1);
  CHECK(taken->sources(0).version() == "570.1");
  REQUIRE(taken->series_size() == 1);
  const carme::v1::SampleSeries& one = taken->series(0);
  CHECK(one.source() == taken->sources(0).id());
  CHECK(one.labels().at("gpu") == "0");
  CHECK(one.times_ms(0) == kNow);
  CHECK(one.times_ms(1) == 1000);
  CHECK(one.times_ms(2) == 1500);
  CHECK(one.values(2) == 3.5);
  CHECK_FALSE(buffer.Take(kNow + 4000, {}).has_value());
}

TEST_CASE("sample buffer: keeps five minutes, and counts what is older",
          "[sampler]") {
  SampleBuffer buffer("n1");
  const auto series = buffer.AddSeries(1, "a", {});
  for (int i = 0; i < 100; ++i) buffer.Add(series, kNow + i * 5000, i);
  const int64_t now = kNow + 99 * 5000;
  const auto taken = buffer.Take(now, {});
  REQUIRE(taken.has_value());
  CHECK(taken->series(0).values_size() == 61);  // both ends of five minutes
  CHECK(taken->dropped() == 39);
  CHECK(taken->series(0).values(60) == 99);
}

TEST_CASE("sample buffer: is bounded, and drops the oldest", "[sampler]") {
  SampleBuffer buffer("n1", SmallLimits());
  const auto series = buffer.AddSeries(1, "a", {});
  for (int i = 0; i < 1000; ++i) buffer.Add(series, kNow + i, i);
  CHECK(buffer.sample_count() <= 100);
  const auto taken = buffer.Take(kNow + 1000, {});
  REQUIRE(taken.has_value());
  CHECK(taken->dropped() + CountSamples(*taken) == 1000);
  CHECK(taken->series(0).values(taken->series(0).values_size() - 1) == 999);
}

TEST_CASE("sample buffer: keeps within the limits of a message", "[sampler]") {
  SampleBuffer buffer("n1");
  uint64_t added = 0;
  for (int i = 0; i < 50; ++i) {
    const auto series = buffer.AddSeries(1, "carme_job_memory_bytes",
                                         {{"step", std::to_string(i)}});
    for (int k = 0; k < 60; ++k, ++added) {
      buffer.Add(series, kNow + k * 5000, k * 1e9);
    }
  }
  const BatchLimits limits = {
      .max_bytes = 8 << 10, .max_series = 20, .max_samples = 1000};
  uint64_t taken = 0;
  int messages = 0;
  while (const auto message = buffer.Take(kNow + 60 * 5000, limits)) {
    CHECK(message->ByteSizeLong() <= limits.max_bytes);
    CHECK(message->series_size() <= 20);
    CHECK(CountSamples(*message) <= 1000);
    CHECK(message->dropped() == 0);
    taken += CountSamples(*message);
    REQUIRE(++messages < 100);
  }
  CHECK(taken == added);
}

TEST_CASE("sample buffer: what is given up counts as dropped", "[sampler]") {
  SampleBuffer buffer("n1");
  const auto series = buffer.AddSeries(1, "a", {});
  buffer.Add(series, kNow, 1);
  buffer.CountMissed(2);
  const auto lost = buffer.Take(kNow, {});
  buffer.GiveUp(*lost);
  const auto next = buffer.Take(kNow, {});
  REQUIRE(next.has_value());
  CHECK(next->dropped() == 1);
  CHECK(next->missed() == 2);
}

TEST_CASE("sample buffer: a dead source is marked, with one event",
          "[sampler]") {
  SampleBuffer buffer("n1");
  const uint32_t source = buffer.AddSource("nvml", "", "");
  buffer.SetDead(source, kNow);
  buffer.SetDead(source, kNow + 1);
  const auto taken = buffer.Take(kNow, {});
  REQUIRE(taken.has_value());
  CHECK(taken->sources(0).dead());
  REQUIRE(taken->events_size() == 1);
  CHECK(taken->events(0).kind() == "source_dead");
}

TEST_CASE("sample buffer: keeps the newest events", "[sampler]") {
  SampleBuffer buffer("n1", SmallLimits());
  for (int i = 0; i < 5; ++i) {
    buffer.AddEvent(kNow + i, "oom", std::string(1000, 'x'), {});
  }
  const auto taken = buffer.Take(kNow, {});
  REQUIRE(taken->events_size() == 3);
  CHECK(taken->events(0).time_ms() == kNow + 2);
  CHECK(taken->events(0).text().size() == 400);
}

}  // namespace
}  // namespace carme::sampler
