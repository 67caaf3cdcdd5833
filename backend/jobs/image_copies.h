// Copies users' shared images into the site's directory for shared images, by
// two jobs one after the other: one of the owner, who alone may read the file,
// and one of the directory's account, which alone may write the directory.
//
//   Request ─► STAGING: job of the owner ─► STORING: job of the account
//           ─► READY
//
// The state is in the image's record; a state without a job waits for one to be
// submitted, so that a restart, a full queue or a limit only delay a copy.
#ifndef CARME_BACKEND_JOBS_IMAGE_COPIES_H_
#define CARME_BACKEND_JOBS_IMAGE_COPIES_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "common/clock.h"

namespace carme::backend {

// Where a copy is on the nodes.
std::string StoredPath(const SharedImagesConfig& config,
                       const ImageRecord& record);

// To be called under ImageCatalogue::Change: asks for a copy unless one is being
// made. One that is ready is made again; others start nothing until it is done.
void RequestCopy(const SharedImagesConfig& config, ImageRecord* record);

// What a job that copies reports. `problem` is why it failed, else empty.
struct CopiedImage {
  std::string path{};
  std::string sha256{};
  int64_t size_bytes = 0;
  std::string problem{};
};

// The report of the owner's job, then of the account's. Another file than the
// record's is a failure.
void TakeStaged(const CopiedImage& copied, ImageRecord* record);
void TakeStored(const SharedImagesConfig& config, const CopiedImage& copied,
                ImageRecord* record);

// Thread-safe.
class ImageCopies {
 public:
  struct Parts {
    ImageCatalogue* images;
    Jobs* jobs;
    ImageCatalogue::WhoIs who_is;
    const SharedImagesConfig* config;
    const Clock* clock;
  };
  // Pointers outlive this.
  explicit ImageCopies(const Parts& parts) : parts_(parts) {}

  // Submits what waits and marks what ended without a result. Call every few
  // seconds; blocks for submissions.
  void Follow();

 private:
  void SubmitFor(const ImageRecord& record);
  absl::StatusOr<Job> Submit(const ImageRecord& record);

  const Parts parts_;
  absl::Mutex mutex_;
  // When an image whose job was refused may be tried again.
  std::map<std::string, absl::Time> not_before_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_IMAGE_COPIES_H_
