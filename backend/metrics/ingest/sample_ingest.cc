#include "backend/metrics/ingest/sample_ingest.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/hash/hash.h"
#include "backend/metrics/ingest/messages.h"
#include "backend/metrics/ingest/remote_write_encoder.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

// All of a job at once, and the rest as they come.
constexpr int kBurst_s = 60;
// Of the id of another job in an error.
constexpr size_t kMaxShownBytes = 64;
// A batch that needed more is not kept.
constexpr size_t kMaxKeptSamples = 16'384;

}  // namespace

// A request and what is written of it.
struct SampleIngest::Batch {
  struct Node {
    uint64_t accepted = 0;  // with those that were stored before
    uint64_t rejected = 0;
    int64_t clock_offset_ms = 0;
  };

  void Clear() {
    request.Clear();
    encoder.Clear();
    stored.clear();
    nodes.clear();
    fresh = 0;
    repeated = 0;
  }

  SampleRequestView request;
  RemoteWriteEncoder encoder;
  std::vector<JobState::StoredSeries> stored;
  std::vector<Node> nodes;  // as in the request
  uint64_t fresh = 0;
  uint64_t repeated = 0;
};

// A batch for one request.
class SampleIngest::BatchLease {
 public:
  explicit BatchLease(SampleIngest* ingest) : ingest_(ingest) {
    absl::MutexLock lock(&ingest_->batches_mutex_);
    if (ingest_->batches_.empty()) {
      batch_ = std::make_unique<Batch>();
      return;
    }
    batch_ = std::move(ingest_->batches_.back());
    ingest_->batches_.pop_back();
  }
  ~BatchLease() {
    if (batch_->request.samples() > kMaxKeptSamples) return;
    batch_->Clear();
    absl::MutexLock lock(&ingest_->batches_mutex_);
    ingest_->batches_.push_back(std::move(batch_));
  }
  BatchLease(const BatchLease&) = delete;
  BatchLease& operator=(const BatchLease&) = delete;
  Batch* get() const { return batch_.get(); }

 private:
  SampleIngest* const ingest_;
  std::unique_ptr<Batch> batch_;
};

SampleIngest::SampleIngest(const Parts& parts, const IngestLimits& limits)
    : parts_(parts),
      limits_(limits),
      rate_(absl::Seconds(1) / limits.samples_per_s_per_job,
            std::max<int64_t>(int64_t{limits.samples_per_s_per_job} * kBurst_s,
                              kMaxRequestSamples)),
      writing_(ConcurrencyLimiter<std::string>::kUnlimited, 1) {}

SampleIngest::~SampleIngest() = default;

absl::Status SampleIngest::Check(const std::string& job,
                                 const SampleRequestView& request) const {
  if (request.job_id() != job) {
    return MakeError(ingest_messages::kOtherJob,
                     {{"job", Readable(request.job_id(), kMaxShownBytes)},
                      {"expected", job}});
  }
  if (parts_.jobs->HasEnded(job)) {
    return MakeError(ingest_messages::kJobEnded, {{"job", job}});
  }
  return absl::OkStatus();
}

void SampleIngest::Add(const std::string& job, const NodeSamplesView& node,
                       int64_t now_ms, JobState* state, Batch* batch) const {
  batch->nodes.push_back({.clock_offset_ms = node.sent_at_ms - now_ms});
  for (const SeriesView& series : batch->request.series(node)) {
    AddSeries(job, node, series, now_ms, state, batch);
  }
}

void SampleIngest::AddSeries(const std::string& job,
                             const NodeSamplesView& node,
                             const SeriesView& series, int64_t now_ms,
                             JobState* state, Batch* batch) const {
  const SampleRequestView& request = batch->request;
  Batch::Node& counts = batch->nodes.back();
  const auto values = request.values(series);
  if (values.empty()) return;
  if (!request.IsValid(series)) {
    counts.rejected += values.size();
    return;
  }
  RemoteWriteEncoder& encoder = batch->encoder;
  // Abseil's hash has a key of the process.
  const uint64_t key = absl::HashOf(
      encoder.BeginSeries(series.name, job, node.node, request.labels(series)));
  int64_t stored_until_ms = 0;
  if (!state->Find(key, static_cast<size_t>(limits_.series_per_job),
                   &stored_until_ms)) {
    counts.rejected += values.size();
    return;
  }
  if (stored_until_ms == 0) {
    state->NoteSource(node.node, series.source, series.name);
  }
  const int64_t oldest_ms = now_ms - absl::ToInt64Milliseconds(kMaxAge);
  const int64_t newest_ms = now_ms + absl::ToInt64Milliseconds(kMaxAhead);
  const auto times_ms = request.times_ms(series);
  const uint64_t fresh_before = batch->fresh;
  uint64_t time_ms = 0;  // unsigned: hostile differences must not overflow
  int64_t last_ms = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    time_ms += static_cast<uint64_t>(times_ms[i]);
    const auto at_ms = static_cast<int64_t>(time_ms);
    if (!std::isfinite(values[i]) || at_ms < oldest_ms || at_ms > newest_ms ||
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
    encoder.AddSample(at_ms, values[i]);
    ++batch->fresh;
  }
  encoder.EndSeries();
  if (batch->fresh > fresh_before) batch->stored.push_back({key, last_ms});
}

absl::Status SampleIngest::Store(const Batch& batch) {
  if (batch.fresh == 0) return absl::OkStatus();
  const absl::Status written = parts_.writer->Write(batch.encoder.bytes());
  if (absl::IsInvalidArgument(written)) {
    // They would be refused again, and the agent could send nothing else.
    refused_.Add(batch.fresh);
    return absl::OkStatus();
  }
  if (written.ok()) stored_.Add(batch.fresh);
  return written;
}

absl::StatusOr<v1::WriteSamplesResponse> SampleIngest::Write(
    const std::string& job, std::string_view request) {
  const BatchLease batch(this);
  SampleRequestView& view = batch.get()->request;
  RETURN_IF_ERROR(view.Read(request));
  RETURN_IF_ERROR(Check(job, view));
  const std::set<std::string> returned = parts_.jobs->ReturnedNodes(job);
  const uint64_t rejected = returned.empty() ? 0 : view.RemoveNodes(returned);
  rejected_.Add(rejected);
  ASSIGN_OR_RETURN(v1::WriteSamplesResponse response,
                   WriteChecked(job, batch.get()));
  response.set_rejected(response.rejected() + rejected);
  return response;
}

absl::StatusOr<v1::WriteSamplesResponse> SampleIngest::WriteChecked(
    const std::string& job, Batch* batch) {
  const std::shared_ptr<JobState> state = FindOrAdd(job);
  if (state == nullptr) {
    return MakeError(ingest_messages::kTooManyJobs, {{"max", limits_.jobs}});
  }
  const std::vector<NodeSamplesView>& nodes = batch->request.nodes();
  std::string writer = job + "/";
  if (!nodes.empty()) writer += nodes.front().node;
  const auto slot = writing_.TryAcquire(std::move(writer));
  if (!slot.acquired()) return MakeError(ingest_messages::kBusy);
  const absl::Time now = parts_.clock->Now();
  if (!state->Allow(rate_, absl::ToUnixNanos(now),
                    1 + static_cast<int64_t>(batch->request.samples()))) {
    over_rate_.Add();
    return MakeError(ingest_messages::kRateExceeded,
                     {{"rate", limits_.samples_per_s_per_job}});
  }
  for (const NodeSamplesView& node : nodes) {
    Add(job, node, absl::ToUnixMillis(now), state.get(), batch);
  }
  RETURN_IF_ERROR(Store(*batch));
  state->SetStored(batch->stored);
  v1::WriteSamplesResponse response;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Batch::Node& node = batch->nodes[i];
    state->Note(nodes[i], node.accepted, node.rejected, node.clock_offset_ms);
    response.set_stored(response.stored() + node.accepted);
    response.set_rejected(response.rejected() + node.rejected);
    response.set_clock_offset_ms(node.clock_offset_ms);
  }
  repeated_.Add(batch->repeated);
  rejected_.Add(response.rejected());
  if (parts_.listener != nullptr) parts_.listener->OnSamples(batch->request);
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
