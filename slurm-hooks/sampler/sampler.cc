#include "slurm-hooks/sampler/sampler.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme::sampler {
namespace {

// Smaller differences are corrections of NTP and the time between two calls.
constexpr absl::Duration kClockTolerance = absl::Seconds(1);

int64_t MonotonicNanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::ToInt64Nanoseconds(absl::DurationFromTimespec(now));
}

}  // namespace

Sampler::Sampler(std::vector<TimedSource> sources, SampleBuffer* buffer,
                 const Clock* clock)
    : buffer_(buffer),
      clock_(clock),
      start_ns_(MonotonicNanoseconds()),
      expected_(clock->Now()) {
  for (TimedSource& one : sources) {
    schedules_.push_back({.timed = std::move(one), .due = {}});
  }
  thread_.Start("sampler", [this] { return SampleDue(); });
}

Sampler::~Sampler() { thread_.Stop(); }

void Sampler::Finish() {
  thread_.Stop();
  const int64_t now_ms = absl::ToUnixMillis(clock_->Now());
  for (Schedule& one : schedules_) one.timed.source->Sample(now_ms, buffer_);
}

void Sampler::NoteClockChange(absl::Time now, absl::Duration elapsed) {
  const absl::Duration jump = now - (expected_ + elapsed);
  if (absl::AbsDuration(jump) <= kClockTolerance) return;
  expected_ += jump;
  buffer_->AddEvent(absl::ToUnixMillis(now), "clock",
                    absl::StrCat("the node's clock was changed by ",
                                 absl::ToInt64Milliseconds(jump), " ms"),
                    {});
}

absl::Duration Sampler::SampleDue() {
  const absl::Duration elapsed =
      absl::Nanoseconds(MonotonicNanoseconds() - start_ns_);
  const absl::Time now = clock_->Now();
  NoteClockChange(now, elapsed);
  absl::Duration next = absl::Minutes(1);
  for (Schedule& one : schedules_) {
    const absl::Duration interval = one.timed.interval;
    if (one.due <= elapsed) {
      const uint64_t before = buffer_->added_count();
      one.timed.source->Sample(absl::ToUnixMillis(now), buffer_);
      const int64_t late = (elapsed - one.due) / interval;
      if (late > 0) {
        buffer_->CountMissed(static_cast<uint64_t>(late) * one.last_samples);
      }
      one.last_samples = buffer_->added_count() - before;
      one.due += interval * (late + 1);
    }
    next = std::min(next, one.due - elapsed);
  }
  const absl::Duration took =
      absl::Nanoseconds(MonotonicNanoseconds() - start_ns_) - elapsed;
  return std::max(next - took, absl::ZeroDuration());
}

}  // namespace carme::sampler
