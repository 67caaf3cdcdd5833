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
#include "backend/identity/person.h"
#include "backend/images/image_record.h"
#include "backend/images/image_sharing.h"
#include "backend/images/image_table.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Invariants: an id is one image's for ever, but for one that was
// never made; what the table does not have is not offered; the path and the
// digest of an image that was made never change; a user's own is for its owner
// until somebody who decides for others has shared it.
class ImageCatalogue {
 public:
  static constexpr size_t kMaxOwn = 50;  // of one user

  // Somebody's groups and role, from the site's directory; may block for it.
  using WhoIs =
      std::function<absl::StatusOr<Person>(const std::string& username)>;

  // Where this user stands in which projects; `all`: in all there are. From the
  // table, not from what was there when they logged in.
  using MembershipLookup = std::function<absl::StatusOr<std::vector<ProjectMembership>>(
      Uid uid, bool all)>;

  // `fixed` are backend.toml's, the default first, kNoImage at the end or
  // alone. `needs_copies`: others use a user's image by its copy in the site's
  // directory for shared images only. Both pointers outlive the catalogue.
  static absl::StatusOr<std::unique_ptr<ImageCatalogue>> Open(
      Database* database, const Clock* clock, const std::vector<Image>& fixed,
      WhoIs who_is, MembershipLookup membership_lookup, bool needs_copies = false);

  // What this person may start a job in, the default first: backend.toml's, the
  // site's, their own and shared ones, the deprecated ones, kNoImage. Where the
  // directory does not answer, nothing that is for groups; likewise projects.
  std::vector<Image> UsableBy(const Person& person);

  // The image of a job of this user that is about to begin.
  // FAILED_PRECONDITION: it was withdrawn, or is not for them any more;
  // UNAVAILABLE: the directory, or the database, does not say. Blocks for it
  // when the image is for some only.
  absl::StatusOr<Image> ForStart(const std::string& id,
                                 const std::string& username, Uid uid);

  // Why this person can start no job in an image that is meant for them, such as
  // "is withdrawn"; empty: there is no such image, or it is not for them.
  std::string WhyNot(const Person& person, const std::string& id);

  // Whoever may use it, and also when it was withdrawn.
  std::optional<Image> Find(const std::string& id) const;

  struct Shown {
    ImageRecord record;  // without shares that are not theirs to know
    bool usable = false;
    bool own = false;
    std::vector<bool> to_approve{};  // of each share: it waits for the person
  };
  // In the order of UsableBy, without kNoImage: what the person may use, also when
  // its copy is not there yet, their own, and what waits for their word; for those who read everything all of
  // them.
  std::vector<Shown> List(const Person& person);
  // With the seats that count for images. The database's errors.
  absl::StatusOr<ImageUser> ImageUserOf(const Person& person) const;

  // Durable. ALREADY_EXISTS; RESOURCE_EXHAUSTED; the database's errors. Takes
  // the place of an image of the same owner's that was not made.
  absl::StatusOr<ImageRecord> Add(ImageRecord record);
  // Gives `edit` the record, and keeps what it made of it. NOT_FOUND;
  // FAILED_PRECONDITION: backend.toml's; what `edit` says; the database's
  // errors.
  using Edit = std::function<absl::Status(ImageRecord*)>;
  absl::StatusOr<ImageRecord> Change(const std::string& id, const Edit& edit);
  // As Change, where `uid` owns the image; else NOT_FOUND.
  absl::StatusOr<ImageRecord> ChangeOwn(const std::string& id, Uid uid,
                                        const Edit& edit);
  // NOT_FOUND: this uid has none of that id.
  absl::Status Remove(const std::string& id, Uid uid);
  // One of the site's. NOT_FOUND; FAILED_PRECONDITION: a user's, or one of
  // backend.toml.
  absl::Status RemoveOfSite(const std::string& id);

  // What this user's job is to do for an image. FAILED_PRECONDITION: nothing.
  absl::StatusOr<ImageWork> WorkOf(const std::string& id, Uid uid,
                                   const JobId& job) const;
  // Marks what no live job makes, copies or checks any more.
  void Settle(const std::function<bool(const JobId&)>& lives);

  bool needs_copies() const { return needs_copies_; }
  // Images whose copy waits for a job to be submitted.
  std::vector<ImageRecord> CopiesToSubmit() const;
  // Names of the files that the directory for shared images keeps.
  std::vector<std::string> StoredNames() const;

 private:
  ImageCatalogue(Database* database, const Clock* clock, WhoIs who_is,
                 MembershipLookup membership_lookup, bool needs_copies)
      : table_(database),
        clock_(*clock),
        who_is_(std::move(who_is)),
        membership_lookup_(std::move(membership_lookup)),
        needs_copies_(needs_copies) {}
  absl::StatusOr<Image> ToRunFor(const ImageRecord& record, Uid uid) const;
  absl::Status Missing(const std::string& id) const;
  std::string ProblemOf(const ImageRecord& record, Uid uid) const;
  bool SettleOne(const std::function<bool(const JobId&)>& lives,
                 ImageRecord* record) const;
  ImageUser Looking(const Person& person,
                 const std::vector<ImageRecord>& images) const;
  absl::StatusOr<bool> IsInProject(const ImageRecord& record, Uid uid) const;
  std::vector<ImageRecord> All() const;
  absl::StatusOr<ImageRecord> Locked(const std::string& id, const Edit& edit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  ImageTable table_;
  const Clock& clock_;
  const WhoIs who_is_;
  const MembershipLookup membership_lookup_;
  const bool needs_copies_;
  absl::Mutex writing_ ABSL_ACQUIRED_BEFORE(mutex_);  // one change at a time
  mutable absl::Mutex mutex_;
  std::vector<ImageRecord> fixed_;  // never changes
  std::map<std::string, ImageRecord> added_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_CATALOGUE_H_
