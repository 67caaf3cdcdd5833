// Every image that jobs may run in: those of backend.toml, which only the file
// changes, and those of the table.
#ifndef CARME_BACKEND_IMAGES_IMAGE_CATALOGUE_H_
#define CARME_BACKEND_IMAGES_IMAGE_CATALOGUE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/directory.h"
#include "backend/images/image_record.h"
#include "backend/images/image_table.h"
#include "common/clock.h"

namespace carme {

// Thread-safe. Invariants: an id is one image's for ever; what the table does
// not have is not offered; an image's path and digest never change.
class ImageCatalogue {
 public:
  // Somebody's groups and role, from the site's directory; may block for it.
  using WhoIs =
      std::function<absl::StatusOr<Person>(const std::string& username)>;

  // `fixed` are backend.toml's, the default first, kNoImage at the end or
  // alone. Both pointers outlive the catalogue.
  static absl::StatusOr<std::unique_ptr<ImageCatalogue>> Open(
      Database* database, const Clock* clock, const std::vector<Image>& fixed,
      WhoIs who_is);

  // What this person may start a job in, the default first: backend.toml's, the
  // site's, the deprecated ones, kNoImage. Where the directory does not answer,
  // nothing that is for groups.
  std::vector<Image> UsableBy(const Person& person);

  // The image of a job of this user that is about to begin.
  // FAILED_PRECONDITION: it was withdrawn, or is not for them any more;
  // UNAVAILABLE: the directory does not say. Blocks for it when the image is
  // for some only.
  absl::StatusOr<Image> ForStart(const std::string& id,
                                 const std::string& username);

  // Whoever may use it, and also when it was withdrawn.
  std::optional<Image> Find(const std::string& id) const;

  struct Shown {
    ImageRecord record;
    bool usable = false;
  };
  // In the order of UsableBy, without kNoImage; for those who read everything
  // all of them.
  std::vector<Shown> List(const Person& person);

  // Durable. ALREADY_EXISTS; RESOURCE_EXHAUSTED; the database's errors.
  absl::StatusOr<ImageRecord> Add(ImageRecord record);
  // Gives `edit` the record, and keeps what it made of state and settings.
  // NOT_FOUND; FAILED_PRECONDITION: backend.toml's; what `edit` says; the
  // database's errors.
  using Edit = std::function<absl::Status(ImageRecord*)>;
  absl::StatusOr<ImageRecord> Change(const std::string& id, const Edit& edit);

 private:
  ImageCatalogue(Database* database, const Clock* clock, WhoIs who_is)
      : table_(database), clock_(*clock), who_is_(std::move(who_is)) {}
  std::vector<ImageRecord> All() const;

  ImageTable table_;
  const Clock& clock_;
  const WhoIs who_is_;
  absl::Mutex writing_ ABSL_ACQUIRED_BEFORE(mutex_);  // one change at a time
  mutable absl::Mutex mutex_;
  std::vector<ImageRecord> fixed_;  // never changes
  std::map<std::string, ImageRecord> added_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_BACKEND_IMAGES_IMAGE_CATALOGUE_H_
