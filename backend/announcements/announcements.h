// The announcements of the site. They are in the database and in memory, so
// that a page reads them without the disk.
#ifndef CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENTS_H_
#define CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/announcements/announcement_rules.h"
#include "backend/identity/directory.h"
#include "backend/identity/person_lookup.h"
#include "backend/identity/session.h"
#include "backend/projects/project_memberships.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. Errors are those of announcement_rules.h with messages for the
// administrator; errors of the database are for the log.
class Announcements {
 public:
  static constexpr size_t kMaxAnnouncements = 50;  // also those that have ended

  // All must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    PersonLookup* person_lookup;  // the groups of a reader
    Directory* directory;         // checks the group of an announcement
    ProjectMemberships* projects;
  };
  static absl::StatusOr<std::unique_ptr<Announcements>> Open(
      const Parts& parts);

  // What is shown now, warnings first: to everyone, and to the owner of a
  // session. One for a project or group is not shown if the reader's are not
  // known.
  std::vector<Announcement> Public() const;
  std::vector<Announcement> For(const Session& reader) const;
  // All, the latest end first.
  std::vector<Announcement> All() const;

  // A change with the announcement before it, for the audit log.
  struct Change {
    Announcement before{};
    Announcement after{};
  };
  // INVALID_ARGUMENT; NOT_FOUND: no such project or group; RESOURCE_EXHAUSTED;
  // UNAVAILABLE: the directory does not respond.
  absl::StatusOr<Announcement> Create(const v1::AnnouncementDetails& details,
                                      const std::string& administrator);
  // The same. NOT_FOUND: no such announcement.
  absl::StatusOr<Change> Update(const v1::AnnouncementDetails& details,
                                const std::string& administrator);
  // Returns what was deleted. NOT_FOUND.
  absl::StatusOr<Announcement> Delete(const std::string& id);

 private:
  explicit Announcements(const Parts& parts) : parts_(parts) {}

  // Whether the reader belongs to the audience of one that is shown.
  bool IsFor(const Announcement& announcement, const Session& reader) const;
  bool IsMember(const std::string& project, const Session& reader) const;
  bool IsInGroup(const std::string& group, const Session& reader) const;
  std::vector<Announcement> Shown() const;
  absl::StatusOr<Announcement> Find(const std::string& id) const;
  // Checks that the project or group exists; the group gets the spelling of the
  // directory.
  absl::Status CompleteAudience(Announcement* announcement) const;
  absl::Status Store(const Announcement& announcement);
  absl::Status Load();

  const Parts parts_;
  absl::Mutex changing_;  // held during a change
  mutable absl::Mutex mutex_;
  std::vector<Announcement> announcements_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENTS_H_
