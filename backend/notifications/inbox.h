// The notifications shown in the portal, and which of them have been read.
#ifndef CARME_BACKEND_NOTIFICATIONS_INBOX_H_
#define CARME_BACKEND_NOTIFICATIONS_INBOX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/notifications/channel.h"
#include "backend/notifications/event.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/display_text.h"

namespace carme::backend {

// The delivery of an event by a channel.
struct InboxDelivery {
  Channel channel{};
  DeliveryState state{};
  std::string problem;  // one sentence; may be empty
};

struct InboxEvent {
  int64_t id = 0;
  absl::Time at;
  EventKind kind{};
  std::string subject;
  DisplayText text;
  bool read = false;
  std::vector<InboxDelivery> deliveries;
};

struct InboxPage {
  std::vector<InboxEvent> events;  // the newest first
  int64_t unread = 0;              // of all
  bool more = false;               // older events exist
};

// Thread-safe. Errors are those of the database.
class Inbox {
 public:
  static constexpr absl::Duration kRetention = absl::Hours(24 * 180);

  // Both must outlive the object.
  Inbox(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // At most `limit` events older than the event `before`; 0: the newest.
  absl::StatusOr<InboxPage> List(Uid uid, int64_t before, int limit);
  // Marks the events in `ids` and all up to `up_to`; returns how many are
  // unread.
  absl::StatusOr<int64_t> MarkRead(Uid uid, const std::vector<int64_t>& ids,
                                   int64_t up_to);
  // How often the user has called MarkRead() since the start. Does not block.
  uint64_t ReadsOf(Uid uid) const;
  // Deletes events older than kRetention. Call periodically.
  void Sweep();

 private:
  Database& database_;
  const Clock& clock_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint32_t, uint64_t> reads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_INBOX_H_
