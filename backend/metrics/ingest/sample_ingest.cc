#include "backend/metrics/ingest/sample_ingest.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "backend/metrics/ingest/messages.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

// All of a job at once, and the rest as they come.
constexpr int kBurst_s = 60;

// The labels of a series in the database, sorted as remote-write requires.
Labels LabelsOf(const std::string& job, const std::string& node,
                const v1::SampleSeries& series) {
  Labels labels = {{"__name__", series.name()}, {"job", job}, {"node", node}};
  for (const auto& [name, value] : series.labels()) {
    // An empty value is an absent label to databases.
    if (!value.empty()) labels.emplace_back(name, value);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace

// The samples of a request that are new.
struct SampleIngest::Batch {
  explicit Batch(std::string job_in)
      : job(std::move(job_in)),
        request(
            google::protobuf::Arena::CreateMessage<prometheus::WriteRequest>(
                &arena)) {}

  struct Series {
    uint64_t key;
    int64_t until_ms;
  };
  struct Node {
    const v1::NodeSamples* samples;
    uint64_t accepted = 0;  // with those that were stored before
    uint64_t rejected = 0;
    int64_t clock_offset_ms = 0;
  };

  const std::string job;
  google::protobuf::Arena arena;
  prometheus::WriteRequest* const request;
  std::vector<Series> series;
  std::vector<Node> nodes;
  uint64_t fresh = 0;
  uint64_t repeated = 0;
};

SampleIngest::SampleIngest(const Parts& parts, const IngestLimits& limits)
    : parts_(parts),
      limits_(limits),
      rate_(absl::Seconds(1) / limits.samples_per_s_per_job,
            std::max<int64_t>(int64_t{limits.samples_per_s_per_job} * kBurst_s,
                              kMaxRequestSamples)),
      writing_(ConcurrencyLimiter<std::string>::kUnlimited, 1) {}

absl::Status SampleIngest::Check(const std::string& job,
                                 const v1::WriteSamplesRequest& request) const {
  if (request.job_id() != job) {
    return MakeError(ingest_messages::kOtherJob,
                     {{"job", request.job_id()}, {"expected", job}});
  }
  if (parts_.jobs->HasEnded(job)) {
    return MakeError(ingest_messages::kJobEnded, {{"job", job}});
  }
  return CheckRequest(request);
}

void SampleIngest::Add(const v1::NodeSamples& node, int64_t now_ms,
                       JobState* state, Batch* batch) const {
  const int64_t oldest_ms = now_ms - absl::ToInt64Milliseconds(kMaxAge);
  const int64_t newest_ms = now_ms + absl::ToInt64Milliseconds(kMaxAhead);
  Batch::Node counts{.samples = &node,
                     .clock_offset_ms = node.sent_at_ms() - now_ms};
  for (const v1::SampleSeries& series : node.series()) {
    const auto size = static_cast<uint64_t>(series.values_size());
    if (size == 0) continue;
    if (!IsValidSeries(series)) {
      counts.rejected += size;
      continue;
    }
    const Labels labels = LabelsOf(batch->job, node.node(), series);
    const uint64_t key = absl::HashOf(labels);
    int64_t stored_until_ms = 0;
    if (!state->Find(key, static_cast<size_t>(limits_.series_per_job),
                     &stored_until_ms)) {
      counts.rejected += size;
      continue;
    }
    if (stored_until_ms == 0) {
      state->NoteSource(node.node(), series.source(), series.name());
    }
    prometheus::TimeSeries* out = nullptr;
    uint64_t time_ms = 0;  // unsigned: hostile differences must not overflow
    int64_t last_ms = 0;
    for (int i = 0; i < series.values_size(); ++i) {
      time_ms += static_cast<uint64_t>(series.times_ms(i));
      const auto at_ms = static_cast<int64_t>(time_ms);
      const double value = series.values(i);
      if (!std::isfinite(value) || at_ms < oldest_ms || at_ms > newest_ms ||
          at_ms <= last_ms) {
        ++counts.rejected;
        continue;
      }
      last_ms = at_ms;
      ++counts.accepted;
      if (at_ms <= stored_until_ms) {
        ++batch->repeated;
        continue;
      }
      if (out == nullptr) {
        out = batch->request->add_timeseries();
        for (const auto& [name, text] : labels) {
          prometheus::Label* label = out->add_labels();
          label->set_name(name.data(), name.size());
          label->set_value(text.data(), text.size());
        }
        out->mutable_samples()->Reserve(series.values_size() - i);
      }
      prometheus::Sample* sample = out->add_samples();
      sample->set_value(value);
      sample->set_timestamp(at_ms);
      ++batch->fresh;
    }
    if (out != nullptr) batch->series.push_back({key, last_ms});
  }
  batch->nodes.push_back(counts);
}

absl::Status SampleIngest::Store(const Batch& batch) {
  if (batch.fresh == 0) return absl::OkStatus();
  const absl::Status written = parts_.writer->Write(*batch.request);
  if (absl::IsInvalidArgument(written)) {
    // They would be refused again, and the agent could send nothing else.
    refused_.Add(batch.fresh);
    return absl::OkStatus();
  }
  if (written.ok()) stored_.Add(batch.fresh);
  return written;
}

absl::StatusOr<v1::WriteSamplesResponse> SampleIngest::Write(
    const std::string& job, const v1::WriteSamplesRequest& request) {
  RETURN_IF_ERROR(Check(job, request));
  const std::set<std::string> returned = parts_.jobs->ReturnedNodes(job);
  if (returned.empty()) return WriteChecked(job, request);
  v1::WriteSamplesRequest kept = request;
  kept.clear_nodes();
  uint64_t rejected = 0;
  for (const v1::NodeSamples& node : request.nodes()) {
    if (!returned.contains(node.node())) {
      *kept.add_nodes() = node;
      continue;
    }
    for (const v1::SampleSeries& series : node.series()) {
      rejected += static_cast<uint64_t>(series.values_size());
    }
  }
  rejected_.Add(rejected);
  ASSIGN_OR_RETURN(v1::WriteSamplesResponse response, WriteChecked(job, kept));
  response.set_rejected(response.rejected() + rejected);
  return response;
}

absl::StatusOr<v1::WriteSamplesResponse> SampleIngest::WriteChecked(
    const std::string& job, const v1::WriteSamplesRequest& request) {
  const std::shared_ptr<JobState> state = FindOrAdd(job);
  if (state == nullptr) {
    return MakeError(ingest_messages::kTooManyJobs, {{"max", limits_.jobs}});
  }
  const std::string first =
      request.nodes().empty() ? "" : request.nodes(0).node();
  const auto slot = writing_.TryAcquire(absl::StrCat(job, "/", first));
  if (!slot.acquired()) return MakeError(ingest_messages::kBusy);
  int64_t samples = 1;
  for (const v1::NodeSamples& node : request.nodes()) {
    for (const v1::SampleSeries& one : node.series()) {
      samples += one.values_size();
    }
  }
  const absl::Time now = parts_.clock->Now();
  if (!state->Allow(rate_, absl::ToUnixNanos(now), samples)) {
    over_rate_.Add();
    return MakeError(ingest_messages::kRateExceeded,
                     {{"rate", limits_.samples_per_s_per_job}});
  }
  Batch batch(job);
  for (const v1::NodeSamples& node : request.nodes()) {
    Add(node, absl::ToUnixMillis(now), state.get(), &batch);
  }
  RETURN_IF_ERROR(Store(batch));
  for (const auto& [key, until_ms] : batch.series) {
    state->SetStored(key, until_ms);
  }
  v1::WriteSamplesResponse response;
  for (const Batch::Node& node : batch.nodes) {
    state->Note(*node.samples, node.accepted, node.rejected,
                node.clock_offset_ms);
    response.set_stored(response.stored() + node.accepted);
    response.set_rejected(response.rejected() + node.rejected);
    response.set_clock_offset_ms(node.clock_offset_ms);
  }
  repeated_.Add(batch.repeated);
  rejected_.Add(response.rejected());
  if (parts_.listener != nullptr) parts_.listener->OnSamples(request);
  return response;
}

std::shared_ptr<JobState> SampleIngest::Find(const std::string& job) const {
  absl::MutexLock lock(&mutex_);
  const auto found = states_.find(job);
  return found == states_.end() ? nullptr : found->second;
}

std::shared_ptr<JobState> SampleIngest::FindOrAdd(const std::string& job) {
  absl::MutexLock lock(&mutex_);
  const auto found = states_.find(job);
  if (found != states_.end()) return found->second;
  if (states_.size() >= static_cast<size_t>(limits_.jobs)) return nullptr;
  return states_.emplace(job, std::make_shared<JobState>()).first->second;
}

void SampleIngest::Drop(const std::string& job) {
  absl::MutexLock lock(&mutex_);
  states_.erase(job);
}

std::vector<std::string> SampleIngest::Jobs() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> jobs;
  for (const auto& [job, state] : states_) jobs.push_back(job);
  return jobs;
}

SampleIngest::Counts SampleIngest::counts() const {
  Counts counts{.stored = stored_.value(),
                .repeated = repeated_.value(),
                .rejected = rejected_.value(),
                .refused = refused_.value(),
                .over_rate = over_rate_.value()};
  absl::MutexLock lock(&mutex_);
  counts.jobs = static_cast<int>(states_.size());
  for (const auto& [job, state] : states_) {
    counts.series += static_cast<int64_t>(state->series());
  }
  return counts;
}

}  // namespace carme::metrics
