#include "backend/jobs/image_builds.h"

#include "absl/strings/str_cat.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxJobNameBytes = 64;

}  // namespace

absl::StatusOr<ImageRecord> SubmitImageBuild(ImageCatalogue* images, Jobs* jobs,
                                             const Session& owner,
                                             const std::string& id,
                                             const std::string& partition,
                                             const AuditEvent& event) {
  const std::string name = id.substr(id.find('/') + 1);
  const absl::StatusOr<Job> job = jobs->Submit(
      owner,
      {.name = Readable(absl::StrCat("image ", name), kMaxJobNameBytes),
       .partition = partition,
       .builds = id},
      "", event);
  if (!job.ok()) {
    // Without a job there is no image; the record is cleaned up later.
    images->Remove(id, owner.uid).IgnoreError();
    return job.status();
  }
  return images->Change(id, [&](ImageRecord* known) {
    known->build_job = job->id;
    return absl::OkStatus();
  });
}

void FailOrphanedImages(ImageCatalogue* images, Jobs* jobs) {
  images->FailOrphaned(
      [jobs](const JobId& job) { return jobs->active().Has(job); });
}

}  // namespace carme::backend
