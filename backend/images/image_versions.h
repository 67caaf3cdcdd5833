// Numbers by which watchers of jobs learn that images have changed, so that no
// page asks for its images at intervals.
#ifndef CARME_BACKEND_IMAGES_IMAGE_VERSIONS_H_
#define CARME_BACKEND_IMAGES_IMAGE_VERSIONS_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/images/image_record.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. All site images and all shared ones count for every user, also
// those that a user cannot use: a version reveals that there was a change, not
// of which image. A user's other images count for this user only.
class ImageVersions {
 public:
  // The versions of another process, which starts at another time, are others.
  explicit ImageVersions(absl::Time started_at)
      : base_(static_cast<uint64_t>(absl::ToUnixMicros(started_at))) {}

  // Call with a record that was added or removed.
  void AddChange(const ImageRecord& record);
  // Call with a record as it was and is: what ListImages does not show is no
  // change.
  void AddUpdate(const ImageRecord& before, const ImageRecord& after);
  // The same for the status of a site image's build; watchers are not woken for
  // its progress.
  void AddBuildStatus(const ImageRecord& before, const ImageRecord& after);

  // Another number than before: ListImages returns something new. `reads_all`:
  // the reader lists the images of all users. Does not block. Never 0.
  uint64_t For(Uid reader, bool reads_all) const;
  // Whether a change was added since the last call.
  bool TakeChanged();

 private:
  const uint64_t base_;
  mutable absl::Mutex mutex_;
  bool changed_ ABSL_GUARDED_BY(mutex_) = false;
  // Numbers of changes.
  uint64_t all_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t shared_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint32_t, uint64_t> own_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_VERSIONS_H_
