#include "backend/jobs/image_copies.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/messages.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBetweenTries = absl::Seconds(30);
constexpr size_t kMaxProblem = 400;

// Whether a retry may succeed: a limit, or Slurm or the directory unavailable.
bool IsForLater(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsUnavailable(status) ||
         absl::IsDeadlineExceeded(status) || absl::IsAborted(status) ||
         ErrorReason(status) == "MAINTENANCE";
}

void Fail(std::string problem, ImageCopy* copy) {
  *copy = {.state = v1::IMAGE_COPY_STATE_FAILED, .problem = std::move(problem)};
}

// Empty: the copy is the approved file.
std::string ProblemOf(const CopiedImage& copied, const std::string& path,
                      const ImageRecord& record) {
  if (!copied.problem.empty()) return copied.problem;
  const bool same = copied.path == path &&
                    copied.sha256 == record.image.sha256 &&
                    copied.size_bytes == record.size_bytes;
  return same ? "" : FormatMessage(job_messages::kCopyDiffers);
}

// The key of one of the two jobs of a copy: after a crash between the
// submission and the record of its id the same job is found.
std::string KeyOf(const ImageCopy& copy) {
  const char* const job =
      copy.state == v1::IMAGE_COPY_STATE_STAGING ? "stage" : "store";
  return absl::StrCat(job, "-image/",
                      HexEncode(Sha256(copy.path)).substr(0, 40));
}

}  // namespace

std::string StoredPath(const SharedImagesConfig& config,
                       const ImageRecord& record) {
  return absl::StrCat(config.directory, "/store/", StoredName(record));
}

void RequestCopy(const SharedImagesConfig& config, ImageRecord* record) {
  ImageCopy& copy = record->copy;
  if (!config.offered() || copy.state == v1::IMAGE_COPY_STATE_STAGING ||
      copy.state == v1::IMAGE_COPY_STATE_STORING) {
    return;
  }
  // An unguessable name: others could create it first, or read the file.
  copy = {.state = v1::IMAGE_COPY_STATE_STAGING,
          .path = absl::StrCat(config.directory, "/incoming/",
                               NewJobId().value(), NewJobId().value(), ".sif")};
}

void ApplyStagedReport(const CopiedImage& copied, ImageRecord* record) {
  ImageCopy& copy = record->copy;
  std::string problem = ProblemOf(copied, copy.path, *record);
  if (!problem.empty()) return Fail(std::move(problem), &copy);
  copy = {.state = v1::IMAGE_COPY_STATE_STORING, .path = copied.path};
}

void ApplyStoredReport(const SharedImagesConfig& config,
                       const CopiedImage& copied, ImageRecord* record) {
  ImageCopy& copy = record->copy;
  std::string problem = ProblemOf(copied, StoredPath(config, *record), *record);
  if (!problem.empty()) return Fail(std::move(problem), &copy);
  copy = {.state = v1::IMAGE_COPY_STATE_READY,
          .path = copied.path,
          .uid = copy.uid};
}

void ImageCopies::Follow() {
  if (!parts_.config->offered()) return;
  parts_.images->FailOrphaned(
      [this](const JobId& job) { return parts_.jobs->active().Has(job); });
  const absl::MutexLock lock(&mutex_);
  const absl::Time now = parts_.clock->Now();
  std::erase_if(not_before_,
                [&](const auto& row) { return row.second <= now; });
  for (const ImageRecord& record : parts_.images->CopiesToSubmit()) {
    if (!not_before_.contains(record.image.id)) SubmitFor(record);
  }
}

void ImageCopies::SubmitFor(const ImageRecord& record) {
  mutex_.AssertHeld();
  const std::string& id = record.image.id;
  const absl::StatusOr<Job> job = Submit(record);
  if (!job.ok()) {
    LogWarning("job that copies a shared image not submitted",
               {{"image", id}, {"error", StatusText(job.status())}});
    not_before_[id] = parts_.clock->Now() + kBetweenTries;
  }
  const auto changed =
      parts_.images->Change(id, [&](ImageRecord* known) -> absl::Status {
        ImageCopy& copy = known->copy;
        if (copy.state != record.copy.state || copy.job != JobId()) {
          return absl::OkStatus();  // the job was faster
        }
        if (job.ok()) {
          copy.job = job->id;
          copy.problem.clear();
          return absl::OkStatus();
        }
        std::string problem =
            Readable(std::string(job.status().message()), kMaxProblem);
        if (IsForLater(job.status())) {
          copy.problem = std::move(problem);
        } else {
          Fail(std::move(problem), &copy);
        }
        return absl::OkStatus();
      });
  if (!changed.ok()) {
    LogError("state of a shared image's copy not kept",
             {{"image", id}, {"error", StatusText(changed.status())}});
  }
}

absl::StatusOr<Job> ImageCopies::Submit(const ImageRecord& record) {
  const bool is_owners = record.copy.state == v1::IMAGE_COPY_STATE_STAGING;
  const std::string& account =
      is_owners ? record.image.owner : parts_.config->account;
  ASSIGN_OR_RETURN(const Person person, parts_.person_lookup->LookUp(account));
  if (is_owners && person.uid != record.image.owner_uid) {
    return MakeError(job_messages::kImageHasOtherOwner, {{"user", account}});
  }
  if (!is_owners) {
    // Recorded before its agent registers: only this uid may report the copy.
    RETURN_IF_ERROR(parts_.images
                        ->Change(record.image.id,
                                 [&](ImageRecord* known) -> absl::Status {
                                   if (known->copy.state ==
                                       v1::IMAGE_COPY_STATE_STORING) {
                                     known->copy.uid = person.uid;
                                   }
                                   return absl::OkStatus();
                                 })
                        .status());
  }
  Session session;
  session.username = person.username;
  session.uid = person.uid;
  session.role = person.role;
  AuditEvent event;
  event.actor = person.username;
  event.actor_uid = person.uid;
  event.act = "submit";
  event.subject = record.image.id;
  event.request_id = NewRequestId();
  return parts_.jobs->Submit(
      session,
      {.name =
           Readable(absl::StrCat(is_owners ? "share image " : "store image ",
                                 record.image.id),
                    64),
       .partition = parts_.config->partition,
       .builds = record.image.id},
      KeyOf(record.copy), event);
}

}  // namespace carme::backend
