// Copies images that users share into the site's directory for shared images,
// with two consecutive jobs: one of the owner, who alone may read the file, and
// one of the account of the directory, which alone may write to it.
//   Request ─► STAGING: job of the owner ─► STORING: job of the account
//           ─► READY
// The state is stored in the image's record. A state without a job waits for
// its submission, so a restart, a full queue or a limit only delays a copy.
#ifndef CARME_BACKEND_JOBS_IMAGE_COPIES_H_
#define CARME_BACKEND_JOBS_IMAGE_COPIES_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/person_lookup.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "common/clock.h"

namespace carme::backend {

// The location of a copy on the nodes.
std::string StoredPath(const SharedImagesConfig& config,
                       const ImageRecord& record);

// Call under ImageCatalogue::Change. Requests a copy unless one is in progress.
// A finished copy is made again.
void RequestCopy(const SharedImagesConfig& config, ImageRecord* record);

// The report of a copy job. `problem`: why it failed; empty: it succeeded.
struct CopiedImage {
  std::string path{};
  std::string sha256{};
  int64_t size_bytes = 0;
  std::string problem{};
};

// Applies the report of the owner's job, then that of the account's job. A file
// that differs from the record is a failure.
void ApplyStagedReport(const CopiedImage& copied, ImageRecord* record);
void ApplyStoredReport(const SharedImagesConfig& config,
                       const CopiedImage& copied, ImageRecord* record);

// Thread-safe.
class ImageCopies {
 public:
  struct Parts {
    ImageCatalogue* images;
    Jobs* jobs;
    PersonLookup* person_lookup;
    const SharedImagesConfig* config;
    const Clock* clock;
  };
  // All must outlive this.
  explicit ImageCopies(const Parts& parts) : parts_(parts) {}

  // Submits pending copies and fails those whose job ended without a result.
  // Call every few seconds; blocks for submissions.
  void Follow();

 private:
  void SubmitFor(const ImageRecord& record);
  absl::StatusOr<Job> Submit(const ImageRecord& record);

  const Parts parts_;
  absl::Mutex mutex_;
  // When an image whose job was rejected may be tried again.
  std::map<std::string, absl::Time> not_before_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_IMAGE_COPIES_H_
