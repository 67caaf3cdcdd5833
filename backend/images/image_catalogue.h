// All images that jobs may run in: those of backend.toml, which are read-only,
// and those of the database.
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
#include "absl/time/time.h"
#include "backend/identity/person.h"
#include "backend/identity/person_lookup.h"
#include "backend/images/image_record.h"
#include "backend/images/image_sharing.h"
#include "backend/images/image_table.h"
#include "backend/images/image_versions.h"
#include "backend/images/usable_images.h"
#include "backend/projects/project_memberships.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/ids.h"
#include "common/message.h"

namespace carme::backend {

// Thread-safe. Invariants: an id is never reused, except that of an image that
// was never completed; an image that is not in the database is not offered;
// path and digest of a complete image never change; a user's image is private
// until a share is approved.
class ImageCatalogue : public UsableImages {
 public:
  static constexpr size_t kMaxOwn = 50;  // per user

  // All must outlive this.
  struct Parts {
    Database* database;
    const Clock* clock;
    PersonLookup* person_lookup;  // groups and roles
    const ProjectMemberships* project_memberships;
  };
  // `fixed`: the images of backend.toml, the default first, kNoImage last or
  // alone. `needs_copies`: other users can use a user's image only through its
  // copy in the site's directory for shared images.
  static absl::StatusOr<std::unique_ptr<ImageCatalogue>> Open(
      const Parts& parts, const std::vector<Image>& fixed,
      bool needs_copies = false);

  // The images that this user may start a job in, the default first: those of
  // backend.toml, of the site, their own, shared ones, deprecated ones,
  // kNoImage. While the directory does not respond, images for groups are left
  // out; likewise for projects.
  std::vector<Image> UsableBy(const Person& person) override;

  // The image of a job that is about to start. FAILED_PRECONDITION: it was
  // withdrawn or is no longer available to the user; UNAVAILABLE: the directory
  // or the database does not respond. May block for them.
  absl::StatusOr<Image> ForStart(const std::string& id,
                                 const std::string& username, Uid uid);

  // Why this user cannot start a job in an image that is available to them,
  // as a sentence; empty: there is no such image, or it is not available.
  DisplayText WhyNot(const Person& person, const std::string& id);

  // The images of backend.toml that are not complete: being built, or failed.
  // They become usable without a restart. May read local files.
  std::vector<ImageRecord> IncompleteFixed() const;

  // An image for a user who may use it, also if it was withdrawn.
  std::optional<Image> Find(const std::string& id) const;

  struct Shown {
    ImageRecord record;  // without shares that the user may not see
    bool usable = false;
    bool own = false;
    std::vector<bool> to_approve{};  // for each share: the user may approve it
  };
  // In the order of UsableBy, without kNoImage: the images that the user may
  // use, also while the copy is missing or backend.toml's is being built, their
  // own, and those that they may approve; all images for roles that read
  // everything.
  std::vector<Shown> List(const Person& person);
  // The user with the memberships that count for images. The database's errors.
  absl::StatusOr<ImageUser> ImageUserOf(const Person& person) const;

  // Durable. ALREADY_EXISTS; RESOURCE_EXHAUSTED; the database's errors.
  // Replaces an image of the same owner that was never completed.
  absl::StatusOr<ImageRecord> Add(ImageRecord record);
  // Calls `edit` with the record and stores the result. NOT_FOUND;
  // FAILED_PRECONDITION: an image of backend.toml; the errors of `edit` and the
  // database.
  using Edit = std::function<absl::Status(ImageRecord*)>;
  absl::StatusOr<ImageRecord> Change(const std::string& id, const Edit& edit);
  // As Change for an image that `uid` owns; NOT_FOUND otherwise.
  absl::StatusOr<ImageRecord> ChangeOwn(const std::string& id, Uid uid,
                                        const Edit& edit);
  // NOT_FOUND: this uid has no such image.
  absl::Status Remove(const std::string& id, Uid uid);
  // Removes a site image. NOT_FOUND; FAILED_PRECONDITION: an image of a user or
  // of backend.toml.
  absl::Status RemoveOfSite(const std::string& id);

  // What this user's job does for an image. FAILED_PRECONDITION: nothing.
  absl::StatusOr<ImageWork> WorkOf(const std::string& id, Uid uid,
                                   const JobId& job) const;
  // Fails the images whose build, copy or check job is no longer active.
  void FailOrphaned(const std::function<bool(const JobId&)>& lives);

  // Reads the status files of images that are being built; true: an image has
  // changed since the last call. Call it every few seconds.
  bool Refresh();
  const ImageVersions& versions() const { return versions_; }

  bool needs_copies() const { return needs_copies_; }
  // The images whose copy waits for the submission of a job.
  std::vector<ImageRecord> CopiesToSubmit() const;
  // The names of the files to keep in the directory for shared images.
  std::vector<std::string> StoredNames() const;

 private:
  ImageCatalogue(const Parts& parts, bool needs_copies)
      : table_(parts.database),
        clock_(*parts.clock),
        person_lookup_(*parts.person_lookup),
        project_memberships_(*parts.project_memberships),
        needs_copies_(needs_copies),
        versions_(parts.clock->Now()) {}
  absl::StatusOr<Image> ToRunFor(const ImageRecord& record, Uid uid) const;
  absl::Status Missing(const std::string& id) const;
  const ErrorTemplate* ProblemOf(const ImageRecord& record, Uid uid) const;
  bool FailIfOrphaned(const std::function<bool(const JobId&)>& lives,
                      ImageRecord* record) const;
  ImageUser FindImageUser(const Person& person,
                          const std::vector<ImageRecord>& images) const;
  absl::StatusOr<bool> IsInProject(const ImageRecord& record, Uid uid) const;
  std::vector<ImageRecord> All() const;
  // Those of which a job may have ended without a report.
  std::vector<ImageRecord> WithWork() const;
  // The images of backend.toml, with the state that status files report.
  std::vector<ImageRecord> Fixed() const ABSL_LOCKS_EXCLUDED(fixed_mutex_);
  absl::StatusOr<ImageRecord> Locked(const std::string& id, const Edit& edit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  // REQUIRES: there is such an image.
  absl::Status Delete(const std::string& id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  ImageTable table_;
  const Clock& clock_;
  PersonLookup& person_lookup_;
  const ProjectMemberships& project_memberships_;
  const bool needs_copies_;
  mutable ImageVersions versions_;
  absl::Mutex writing_ ABSL_ACQUIRED_BEFORE(mutex_);  // one change at a time
  mutable absl::Mutex mutex_;
  mutable absl::Mutex fixed_mutex_;
  mutable std::vector<ImageRecord> fixed_ ABSL_GUARDED_BY(fixed_mutex_);
  mutable absl::Time builds_read_at_ ABSL_GUARDED_BY(fixed_mutex_) =
      absl::InfinitePast();
  std::map<std::string, ImageRecord> added_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_CATALOGUE_H_
