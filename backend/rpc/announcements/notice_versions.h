// Tells watchers of jobs that the portal has something new to tell them.
#ifndef CARME_BACKEND_RPC_ANNOUNCEMENTS_NOTICE_VERSIONS_H_
#define CARME_BACKEND_RPC_ANNOUNCEMENTS_NOTICE_VERSIONS_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/announcements/announcements.h"
#include "backend/maintenance/maintenance.h"
#include "backend/notifications/inbox.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe.
class NoticeVersions {
 public:
  // All must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    const Inbox* inbox;
    const Announcements* announcements;
    const Maintenance* maintenance;
  };
  explicit NoticeVersions(const Parts& parts) : parts_(parts) {}

  // Looks for new notices; true: there are some. Call it every few seconds.
  bool Refresh();

  // A number that changes when the user's notifications, the announcements that
  // are shown to anyone, or the maintenance change. Does not block. 0: not
  // known yet.
  uint64_t For(Uid reader) const;

 private:
  // Of what all users see.
  uint64_t SharedVersion() const;
  // The events since the last call. False: there are none, or an error.
  bool FindEvents();

  const Parts parts_;
  mutable absl::Mutex mutex_;
  bool is_known_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t shared_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t newest_event_ ABSL_GUARDED_BY(mutex_) = 0;
  // The newest event of those users who got one since the first Refresh().
  absl::flat_hash_map<uint32_t, int64_t> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ANNOUNCEMENTS_NOTICE_VERSIONS_H_
