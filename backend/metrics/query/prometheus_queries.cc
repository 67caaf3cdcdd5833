#include "backend/metrics/query/prometheus_queries.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/query/database_reader.h"
#include "backend/metrics/query/messages.h"
#include "backend/metrics/query/promql_restriction.h"
#include "common/ids.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

using Request = v1::QueryPrometheusRequest;

// The year 5138: all times fit into numbers of both databases.
constexpr int64_t kMaxTimeMs = 100'000'000'000'000;
// Of nodes' clocks, and of Prometheus' look-back for the newest sample.
constexpr int64_t kMarginMs = 10 * 60 * 1000;

std::vector<std::string> IdsOf(const std::vector<v1::MeasuredJob>& jobs) {
  std::vector<std::string> ids;
  for (const v1::MeasuredJob& job : jobs) {
    if (IsJobId(job.job_id())) ids.push_back(job.job_id());
  }
  return ids;
}

bool IsTime(int64_t ms) { return ms > 0 && ms <= kMaxTimeMs; }

// `step_ms`: VictoriaMetrics looks back as long for the newest sample.
absl::StatusOr<std::string> Restrict(const std::string& query,
                                     const std::vector<v1::MeasuredJob>& jobs,
                                     int64_t from_ms, int64_t to_ms,
                                     int64_t step_ms) {
  ASSIGN_OR_RETURN(const ParsedPromql parsed, ParsedPromql::Parse(query));
  from_ms -= parsed.reach_ms() + step_ms;
  return parsed.RestrictedTo(JobsBetween(jobs, from_ms, to_ms));
}

// At least one selector.
absl::StatusOr<std::vector<std::string>> RestrictAll(
    const google::protobuf::RepeatedPtrField<std::string>& matches,
    const std::vector<std::string>& ids) {
  size_t bytes = 0;
  for (const std::string& match : matches) bytes += match.size();
  if (matches.size() > PrometheusQueries::kMaxMatches ||
      bytes > kMaxPromqlBytes) {
    return MakeError(
        query_messages::kMatchesInvalid,
        {{"max", PrometheusQueries::kMaxMatches}, {"bytes", kMaxPromqlBytes}});
  }
  std::vector<std::string> selectors;
  for (const std::string& match : matches) {
    ASSIGN_OR_RETURN(const ParsedPromql parsed,
                     ParsedPromql::ParseSelector(match));
    selectors.push_back(parsed.RestrictedTo(ids));
  }
  if (selectors.empty()) {
    selectors.push_back(absl::StrCat("{", JobMatcher(ids), "}"));
  }
  return selectors;
}

// When the first of the jobs started; `otherwise` if none has.
int64_t FirstStartMs(const std::vector<v1::MeasuredJob>& jobs,
                     int64_t otherwise) {
  int64_t first_ms = otherwise;
  for (const v1::MeasuredJob& job : jobs) {
    if (job.started_at_ms() > 0) {
      first_ms = std::min(first_ms, job.started_at_ms());
    }
  }
  return first_ms;
}

}  // namespace

std::vector<std::string> JobsBetween(const std::vector<v1::MeasuredJob>& jobs,
                                     int64_t from_ms, int64_t to_ms) {
  std::vector<std::string> ids;
  for (const v1::MeasuredJob& job : jobs) {
    if (!IsJobId(job.job_id())) continue;
    if (job.started_at_ms() > to_ms + kMarginMs) continue;
    if (job.ended_at_ms() > 0 && job.ended_at_ms() < from_ms - kMarginMs) {
      continue;
    }
    ids.push_back(job.job_id());
  }
  return ids;
}

PrometheusQueries::PrometheusQueries(DatabaseReader* reader,
                                     const Limits& limits)
    : reader_(reader),
      limits_(limits),
      pending_(limits.pending, limits.pending_per_user),
      running_(limits.running, limits.running_per_user) {}

PrometheusQueries::Limiter::Slot PrometheusQueries::Wait(
    const std::string& user) {
  const absl::Time deadline = absl::Now() + limits_.wait;
  absl::MutexLock lock(&mutex_);
  while (true) {
    Limiter::Slot slot = running_.TryAcquire(user);
    if (slot.acquired()) return slot;
    if (released_.WaitWithDeadline(&mutex_, deadline)) return slot;
  }
}

void PrometheusQueries::Release(Limiter::Slot slot) {
  absl::MutexLock lock(&mutex_);
  slot.Release();
  released_.SignalAll();
}

absl::StatusOr<std::string> PrometheusQueries::Answer(const std::string& user,
                                                      const Jobs& jobs,
                                                      const Request& request) {
  if (request.has_check()) return "{}";
  const Limiter::Slot pending = pending_.TryAcquire(user);
  if (!pending.acquired()) return MakeError(query_messages::kTooManyQueries);
  Limiter::Slot slot = Wait(user);
  if (!slot.acquired()) return MakeError(query_messages::kTooManyQueries);
  absl::StatusOr<std::string> answer = Ask(jobs, request);
  Release(std::move(slot));
  return answer;
}

absl::StatusOr<std::string> PrometheusQueries::Ask(const Jobs& jobs,
                                                   const Request& request) {
  switch (request.kind_case()) {
    case Request::kInstant:
      return AskInstant(jobs, request.instant());
    case Request::kRange:
      return AskRange(jobs, request.range());
    case Request::kSeries:
      return Search(jobs, "/api/v1/series", request.series());
    case Request::kLabels:
      return Search(jobs, "/api/v1/labels", request.labels());
    case Request::kLabelValues:
      return SearchLabelValues(jobs, request.label_values());
    default:
      return MakeError(query_messages::kKindInvalid);
  }
}

absl::StatusOr<std::string> PrometheusQueries::AskInstant(
    const Jobs& jobs, const Request::Instant& request) {
  const int64_t time_ms = request.time_ms();
  if (!IsTime(time_ms)) return MakeError(query_messages::kTimeInvalid);
  ASSIGN_OR_RETURN(const std::string query,
                   Restrict(request.query(), jobs, time_ms, time_ms, 0));
  return reader_->Ask(
      {.method = "POST",
       .path = "/api/v1/query",
       .parameters = {{"query", query}, {"time", UnixSeconds(time_ms)}}},
      IdsOf(jobs), kMaxAnswerBytes);
}

absl::StatusOr<std::string> PrometheusQueries::AskRange(
    const Jobs& jobs, const Request::Range& request) {
  const int64_t from_ms = request.from_ms();
  const int64_t to_ms = request.to_ms();
  const int64_t step_ms = request.step_ms();
  if (!IsTime(from_ms) || !IsTime(to_ms) || from_ms > to_ms) {
    return MakeError(query_messages::kRangeInvalid);
  }
  if (step_ms <= 0 || step_ms > kMaxTimeMs ||
      (to_ms - from_ms) / step_ms + 1 > kMaxPoints) {
    return MakeError(query_messages::kTooManyPoints, {{"max", kMaxPoints}});
  }
  ASSIGN_OR_RETURN(const std::string query,
                   Restrict(request.query(), jobs, from_ms, to_ms, step_ms));
  return reader_->Ask({.method = "POST",
                       .path = "/api/v1/query_range",
                       .parameters = {{"query", query},
                                      {"start", UnixSeconds(from_ms)},
                                      {"end", UnixSeconds(to_ms)},
                                      {"step", UnixSeconds(step_ms)}}},
                      IdsOf(jobs), kMaxAnswerBytes);
}

absl::StatusOr<std::string> PrometheusQueries::Search(
    const Jobs& jobs, const std::string& path, const Request::Search& request) {
  const int64_t now_ms = absl::ToUnixMillis(absl::Now());
  const int64_t to_ms = request.to_ms() == 0 ? now_ms : request.to_ms();
  const int64_t from_ms = request.from_ms() == 0
                              ? FirstStartMs(jobs, std::min(now_ms, to_ms))
                              : request.from_ms();
  if (!IsTime(from_ms) || !IsTime(to_ms) || from_ms > to_ms) {
    return MakeError(query_messages::kRangeInvalid);
  }
  const std::vector<std::string> ids = JobsBetween(jobs, from_ms, to_ms);
  ASSIGN_OR_RETURN(const std::vector<std::string> selectors,
                   RestrictAll(request.matches(), ids));
  // Prometheus would show everything without a selector.
  DatabaseReader::Question question{
      .method = absl::StartsWith(path, "/api/v1/label/") ? "GET" : "POST",
      .path = path,
      .parameters = {{"start", UnixSeconds(from_ms)},
                     {"end", UnixSeconds(to_ms)}}};
  for (const std::string& selector : selectors) {
    question.parameters.emplace_back("match[]", selector);
  }
  return reader_->Ask(question, IdsOf(jobs), kMaxAnswerBytes);
}

absl::StatusOr<std::string> PrometheusQueries::SearchLabelValues(
    const Jobs& jobs, const Request::Search& request) {
  if (!IsPromqlLabel(request.label())) {
    return MakeError(query_messages::kLabelInvalid);
  }
  return Search(jobs,
                absl::StrCat("/api/v1/label/", request.label(), "/values"),
                request);
}

}  // namespace carme::metrics
