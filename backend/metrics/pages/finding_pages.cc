#include "backend/metrics/pages/finding_pages.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "backend/metrics/archive/archive_builder.h"
#include "backend/metrics/findings/job_findings.h"
#include "backend/metrics/findings/job_receipt.h"
#include "backend/metrics/query/messages.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr absl::Duration kMinInterval = absl::Minutes(1);
constexpr absl::Duration kMaxInterval = absl::Minutes(10);
constexpr int64_t kIntervalsOfJob = 60;
constexpr int64_t kMinStep_s = 10;
// Of a series, and of all series of a name: longer and larger jobs get larger
// steps.
constexpr int64_t kMaxRunningPoints = 2000;
constexpr int64_t kMinRunningPoints = 100;
constexpr int64_t kMaxRunningValues = 2'000'000;

// Of a running job, how often its rules are evaluated.
absl::Duration IntervalFor(absl::Duration length) {
  return std::clamp(length / kIntervalsOfJob, kMinInterval, kMaxInterval);
}

absl::Duration LengthOf(const v1::MeasuredJob& job, absl::Time now) {
  return now - absl::FromUnixMillis(job.started_at_ms());
}

int64_t StepFor(const v1::MeasuredJob& job, absl::Time now) {
  const int64_t series = std::max<int64_t>(job.nodes_size(), 1) *
                         std::max<int64_t>(job.gpus_per_node(), 1);
  const int64_t points = std::clamp(kMaxRunningValues / series,
                                    kMinRunningPoints, kMaxRunningPoints);
  return std::max(kMinStep_s,
                  absl::ToInt64Seconds(LengthOf(job, now)) / points);
}

bool AreEqual(const std::vector<v1::JobFinding>& some,
              const std::vector<v1::JobFinding>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    google::protobuf::util::MessageDifferencer::Equals);
}

absl::Status NoSamples() {
  return MakeError(query_messages::kNothingToExport,
                   {{"cause", FormatMessage(query_messages::kNoSamples)}});
}

}  // namespace

void FindingPages::Step() {
  if (parts_.rules->rules.empty()) return;
  const absl::Time now = parts_.clock->Now();
  {
    absl::MutexLock lock(&mutex_);
    // The state of a job is dropped when it has an archive.
    std::erase_if(evaluated_, [this](const auto& row) {
      return parts_.ingest->Find(row.first) == nullptr;
    });
  }
  for (const std::string& name : parts_.ingest->Jobs()) {
    const std::optional<v1::MeasuredJob> job = parts_.jobs->FindRunning(name);
    if (!job || job->started_at_ms() == 0) continue;
    {
      absl::MutexLock lock(&mutex_);
      const auto last = evaluated_.find(name);
      if (last != evaluated_.end() &&
          now - last->second.at < IntervalFor(LengthOf(*job, now))) {
        continue;
      }
    }
    const absl::Status status = Evaluate(*job, now);
    if (status.ok()) continue;
    LogWarning("rules not evaluated",
               {{"job", name}, {"error", StatusText(status)}});
    if (absl::IsUnavailable(status)) return;
  }
}

absl::Status FindingPages::Evaluate(const v1::MeasuredJob& job,
                                    absl::Time now) {
  const std::shared_ptr<JobState> state = parts_.ingest->Find(job.job_id());
  if (state == nullptr) return absl::OkStatus();
  const ArchiveSelection selection = {.names = parts_.rules->Series(),
                                      .min_step_s = StepFor(job, now)};
  ASSIGN_OR_RETURN(
      const archive::v1::JobArchive samples,
      BuildArchive(job, state->Notes(), now, parts_.reader, selection));
  std::vector<v1::JobFinding> findings = FindIn(samples, *parts_.rules, now);
  absl::MutexLock lock(&mutex_);
  const auto [found, is_new] = evaluated_.try_emplace(job.job_id());
  Evaluated& evaluated = found->second;
  evaluated.at = now;
  if (is_new || !AreEqual(evaluated.findings, findings)) {
    evaluated.findings = std::move(findings);
    evaluated.version = ++last_version_;
  }
  return absl::OkStatus();
}

v1::ListJobFindingsResponse FindingPages::ResponseOf(
    const std::string& job, const Evaluated& evaluated) const {
  v1::ListJobFindingsResponse response;
  response.set_evaluated_at_ms(absl::ToUnixMillis(evaluated.at));
  response.mutable_findings()->Add(evaluated.findings.begin(),
                                   evaluated.findings.end());
  const std::shared_ptr<JobState> state = parts_.ingest->Find(job);
  if (state != nullptr) {
    ApplyRatings(state->Notes().ratings(), response.mutable_findings());
  }
  return response;
}

std::optional<v1::ListJobFindingsResponse> FindingPages::FindChanged(
    const std::string& job, uint64_t* version) const {
  absl::MutexLock lock(&mutex_);
  const auto found = evaluated_.find(job);
  if (found == evaluated_.end() || found->second.version == *version) {
    return std::nullopt;
  }
  *version = found->second.version;
  return ResponseOf(job, found->second);
}

absl::StatusOr<v1::ListJobFindingsResponse> FindingPages::List(
    const v1::MeasuredJob& job) {
  v1::ListJobFindingsResponse response;
  absl::StatusOr<archive::v1::JobArchive> archive =
      parts_.store->ReadHead(job.job_id());
  if (archive.ok()) {
    response.set_evaluated_at_ms(archive->job().ended_at_ms());
    if (archive->has_receipt()) {
      *response.mutable_findings() = archive->receipt().findings();
    } else {
      ASSIGN_OR_RETURN(archive, parts_.store->Read(job.job_id()));
      const auto findings =
          FindIn(*archive, *parts_.rules, parts_.clock->Now());
      response.mutable_findings()->Add(findings.begin(), findings.end());
    }
    return response;
  }
  if (!absl::IsNotFound(archive.status())) return archive.status();
  absl::MutexLock lock(&mutex_);
  const auto found = evaluated_.find(job.job_id());
  if (found == evaluated_.end()) return response;
  return ResponseOf(job.job_id(), found->second);
}

absl::Status FindingPages::RateArchived(
    const std::string& job, const archive::v1::FindingRating& rating) {
  absl::MutexLock lock(&archive_mutex_);
  ASSIGN_OR_RETURN(archive::v1::JobArchive archive, parts_.store->Read(job));
  const std::vector<archive::v1::FindingRating> ratings = {rating};
  if (!archive.has_receipt()) {
    *archive.mutable_receipt() = MakeReceipt(archive);
    const auto findings = FindIn(archive, *parts_.rules, parts_.clock->Now());
    archive.mutable_receipt()->mutable_findings()->Add(findings.begin(),
                                                       findings.end());
  }
  ApplyRatings(ratings, archive.mutable_receipt()->mutable_findings());
  return parts_.store->Write(std::move(archive));
}

absl::Status FindingPages::Rate(const v1::MeasuredJob& job,
                                const v1::RateJobFindingRequest& request) {
  const auto& rules = parts_.rules->rules;
  if (std::none_of(rules.begin(), rules.end(),
                   [&](const auto& r) { return r.name == request.rule(); })) {
    return MakeError(query_messages::kNoSuchRule, {{"rule", request.rule()}});
  }
  archive::v1::FindingRating rating;
  rating.set_rule(request.rule());
  rating.set_muted(request.muted());
  rating.set_false_alarm(request.false_alarm());
  const std::shared_ptr<JobState> state = parts_.ingest->Find(job.job_id());
  if (state != nullptr) {
    state->Rate(rating);
    absl::MutexLock lock(&mutex_);
    const auto evaluated = evaluated_.find(job.job_id());
    if (evaluated != evaluated_.end()) {
      evaluated->second.version = ++last_version_;
    }
  }
  // The archive of a job that ended a moment ago may exist beside its state.
  absl::Status archived = RateArchived(job.job_id(), rating);
  if (state == nullptr && absl::IsNotFound(archived)) return NoSamples();
  if (!archived.ok() && !absl::IsNotFound(archived)) return archived;
  if (request.false_alarm()) {
    LogInfo("finding reported as a false alarm", {{"job", job.job_id()},
                                                  {"rule", request.rule()},
                                                  {"user", job.owner()}});
    absl::MutexLock lock(&mutex_);
    ++false_alarms_[request.rule()];
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::JobReceipt> FindingPages::Receipt(
    const v1::MeasuredJob& job) {
  absl::StatusOr<archive::v1::JobArchive> archive =
      parts_.store->ReadHead(job.job_id());
  if (archive.ok()) {
    if (archive->has_receipt()) return std::move(*archive->mutable_receipt());
    archive = parts_.store->Read(job.job_id());
  }
  if (absl::IsNotFound(archive.status())) {
    const absl::Time now = parts_.clock->Now();
    const std::shared_ptr<JobState> state = parts_.ingest->Find(job.job_id());
    const ArchiveSelection selection = {.names = ReceiptSeries(),
                                        .min_step_s = StepFor(job, now)};
    archive = BuildArchive(
        job, state == nullptr ? archive::v1::JobNotes() : state->Notes(), now,
        parts_.reader, selection);
    if (archive.ok() && archive->series().empty()) return NoSamples();
  }
  RETURN_IF_ERROR(archive.status());
  v1::JobReceipt receipt = MakeReceipt(*archive);
  ASSIGN_OR_RETURN(const v1::ListJobFindingsResponse found, List(job));
  *receipt.mutable_findings() = found.findings();
  return receipt;
}

absl::StatusOr<std::optional<v1::JobSummary>> FindingPages::Summary(
    const v1::MeasuredJob& job) const {
  const absl::StatusOr<archive::v1::JobArchive> archive =
      parts_.store->ReadHead(job.job_id());
  if (absl::IsNotFound(archive.status())) return std::nullopt;
  if (!archive.ok()) {
    // The other jobs of the summary are not affected.
    LogError("archive cannot be read",
             {{"job", job.job_id()}, {"error", StatusText(archive.status())}});
    return std::nullopt;
  }
  if (!archive->has_receipt()) return std::nullopt;
  return SummaryOf(job.job_id(), archive->receipt());
}

std::map<std::string, uint64_t> FindingPages::false_alarms() const {
  absl::MutexLock lock(&mutex_);
  return false_alarms_;
}

}  // namespace carme::metrics
