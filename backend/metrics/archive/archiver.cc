#include "backend/metrics/archive/archiver.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/metrics/archive/archive_builder.h"
#include "backend/metrics/archive/messages.h"
#include "backend/metrics/findings/job_findings.h"
#include "backend/metrics/findings/job_receipt.h"
#include "common/file.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr char kNotesSuffix[] = ".notes";
constexpr size_t kMaxNotesBytes = 64 << 20;
// Databases show samples to queries after some seconds.
constexpr absl::Duration kAfterEnd = absl::Seconds(5);
// Until then an answer without samples is not believed.
constexpr absl::Duration kMaxLag = absl::Minutes(10);
constexpr absl::Duration kMaxDelay = absl::Minutes(10);
// Then a job is archived without its series.
constexpr absl::Duration kGiveUpAfter = absl::Hours(24 * 7);
// A job without samples for this long may have ended.
constexpr absl::Duration kSilence = absl::Minutes(2);
constexpr absl::Duration kAskInterval = absl::Minutes(5);
constexpr absl::Duration kEnforceInterval = absl::Minutes(10);
constexpr int kMaxAsked = 50;  // in a step
// Each file is synchronized with the disk.
constexpr absl::Duration kNotesInterval = absl::Minutes(1);

}  // namespace

Archiver::Archiver(Parts parts) : parts_(std::move(parts)) {}

std::string Archiver::NotesPath(const std::string& job) const {
  return absl::StrCat(parts_.notes_directory, "/", job, kNotesSuffix);
}

void Archiver::Restore() {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(parts_.notes_directory, error)) {
    const std::string path = entry.path().string();
    const std::string job = entry.path().stem().string();
    if (entry.path().extension() != kNotesSuffix || !IsJobId(job)) continue;
    if (parts_.store->Has(job)) {  // stopped before the notes were removed
      unlink(path.c_str());
      continue;
    }
    const absl::StatusOr<std::string> bytes = ReadFile(path, kMaxNotesBytes);
    archive::v1::JobNotes notes;
    if (!bytes.ok() || !notes.ParseFromString(*bytes)) {
      LogWarning("notes of a job cannot be read", {{"file", path}});
      notes.Clear();
    }
    const std::shared_ptr<JobState> state = parts_.ingest->FindOrAdd(job);
    if (state != nullptr) state->Restore(notes);
  }
  if (error) {
    LogError("notes of jobs cannot be listed", {{"error", error.message()}});
  }
}

void Archiver::OnEnded(const std::string& job) {
  if (parts_.ingest->Find(job) == nullptr) return;  // it sent no samples
  const absl::Time now = parts_.clock->Now();
  absl::MutexLock lock(&mutex_);
  endings_.emplace(job, Ending{.due = now + kAfterEnd, .since = now});
}

void Archiver::Step() {
  const absl::Time now = parts_.clock->Now();
  WriteNotes(now);
  AskForSilentJobs(now);
  ArchiveDue(now);
  EnforceLimits(now);
}

void Archiver::ArchiveDue(absl::Time now) {
  std::vector<std::pair<std::string, absl::Duration>> due;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [job, ending] : endings_) {
      if (ending.due > now) continue;
      due.emplace_back(job, now - ending.since);
    }
  }
  for (const auto& [job, waited] : due) {
    const absl::Status status = Archive(job, waited);
    absl::MutexLock lock(&mutex_);
    const auto ending = endings_.find(job);
    if (ending == endings_.end()) continue;
    if (status.ok()) {
      endings_.erase(ending);
      archived_.Add();
      continue;
    }
    failed_.Add();
    LogWarning("job not archived, trying again",
               {{"job", job}, {"error", StatusText(status)}});
    ending->second.due = now + ending->second.delay;
    ending->second.delay = std::min(ending->second.delay * 2, kMaxDelay);
  }
}

absl::Status Archiver::Archive(const std::string& job, absl::Duration waited) {
  const std::shared_ptr<JobState> state = parts_.ingest->Find(job);
  if (state == nullptr) return absl::OkStatus();
  // Samples that came after its end, while that was not known.
  if (parts_.store->Has(job)) {
    ClearNotes(job);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const v1::MeasuredJob record, parts_.records->Find(job));
  const archive::v1::JobNotes notes = state->Notes();
  absl::StatusOr<archive::v1::JobArchive> archive =
      waited > kGiveUpAfter
          ? ArchiveWithoutSeries(record, notes)
          : BuildArchive(record, notes, parts_.clock->Now(), parts_.reader);
  RETURN_IF_ERROR(archive.status());
  const bool was_sampled = std::any_of(
      notes.quality().begin(), notes.quality().end(),
      [](const v1::NodeQuality& node) { return node.received() > 0; });
  if (archive->series().empty() && was_sampled && waited < kMaxLag) {
    return MakeError(archive_messages::kNoSeriesYet, {{"job", job}});
  }
  v1::JobReceipt receipt = MakeReceipt(*archive);
  const std::vector<v1::JobFinding> findings =
      FindIn(*archive, *parts_.rules, parts_.clock->Now());
  receipt.mutable_findings()->Add(findings.begin(), findings.end());
  ApplyRatings(notes.ratings(), receipt.mutable_findings());
  *archive->mutable_receipt() = std::move(receipt);
  RecordNodeFindings(job, findings);
  RETURN_IF_ERROR(parts_.store->Write(*std::move(archive)));
  // After the archive: a crash between the two repeats only this.
  ClearNotes(job);
  return absl::OkStatus();
}

void Archiver::RecordNodeFindings(const std::string& job,
                                  const std::vector<v1::JobFinding>& findings) {
  const v1::RecordNodeFindingsRequest request =
      NodeFindingsOf(job, findings, *parts_.rules);
  if (request.findings().empty()) return;
  const absl::Status recorded = parts_.records->RecordNodeFindings(request);
  if (recorded.ok()) return;
  LogWarning("findings on nodes not recorded",
             {{"job", job}, {"error", StatusText(recorded)}});
}

void Archiver::ClearNotes(const std::string& job) {
  unlink(NotesPath(job).c_str());
  parts_.ingest->Drop(job);
}

void Archiver::WriteNotes(absl::Time now) {
  std::erase_if(noted_at_, [&](const auto& row) {
    return parts_.ingest->Find(row.first) == nullptr;
  });
  for (const std::string& job : parts_.ingest->Jobs()) {
    const std::shared_ptr<JobState> state = parts_.ingest->Find(job);
    const auto last = noted_at_.find(job);
    if (last != noted_at_.end() && now - last->second < kNotesInterval) {
      continue;
    }
    if (state == nullptr || !state->TakeChanged()) continue;
    noted_at_[job] = now;
    archive::v1::JobNotes notes = state->Notes();
    notes.set_job_id(job);
    const absl::Status written =
        WriteFile(NotesPath(job), notes.SerializeAsString(), 0600);
    if (written.ok()) continue;
    LogError("notes of a job not stored",
             {{"job", job}, {"error", StatusText(written)}});
    return;  // the disk fails for the others, too
  }
}

void Archiver::AskForSilentJobs(absl::Time now) {
  int asked = 0;
  const std::vector<std::string> jobs = parts_.ingest->Jobs();
  std::erase_if(asked_at_, [&](const auto& row) {
    return std::find(jobs.begin(), jobs.end(), row.first) == jobs.end();
  });
  for (const std::string& job : jobs) {
    const std::shared_ptr<JobState> state = parts_.ingest->Find(job);
    if (state == nullptr || now - state->used_at() < kSilence) continue;
    const auto last = asked_at_.find(job);
    if (last != asked_at_.end() && now - last->second < kAskInterval) continue;
    if (++asked > kMaxAsked) return;
    const absl::StatusOr<v1::MeasuredJob> record = parts_.records->Find(job);
    if (absl::IsUnavailable(record.status())) return;
    asked_at_[job] = now;
    if (absl::IsNotFound(record.status())) {
      // The backend has deleted it, so that no person may see it.
      ClearNotes(job);
    } else if (record.ok() && record->ended_at_ms() != 0) {
      parts_.jobs->SetEnded(job);
      OnEnded(job);
    }
  }
}

void Archiver::EnforceLimits(absl::Time now) {
  if (now - enforced_at_ < kEnforceInterval) return;
  enforced_at_ = now;
  const ArchiveStore::Totals totals = parts_.store->Enforce(now);
  removed_.Add(static_cast<uint64_t>(totals.removed));
  if (totals.removed > 0) {
    LogInfo("archives removed", {{"files", totals.removed}});
  }
  absl::MutexLock lock(&mutex_);
  totals_ = totals;
}

Archiver::Counts Archiver::counts() const {
  Counts counts{.archived = archived_.value(),
                .failed = failed_.value(),
                .removed = removed_.value()};
  absl::MutexLock lock(&mutex_);
  counts.waiting = static_cast<int>(endings_.size());
  counts.files = totals_.files;
  counts.bytes = totals_.bytes;
  return counts;
}

}  // namespace carme::metrics
