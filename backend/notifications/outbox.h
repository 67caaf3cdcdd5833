// What waits to be sent, in the table, so that none is lost.
//
// What waits for one person goes out together, as one message with one id and
// time: those of its first event, which no other message of that channel ever
// has, and which stay when that event is forgotten. A
// message that is tried again is the same message with the same id, also after
// a crash between the sending and the record of it: whoever receives it twice
// can tell.
#ifndef CARME_BACKEND_NOTIFICATIONS_OUTBOX_H_
#define CARME_BACKEND_NOTIFICATIONS_OUTBOX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/notifications/channel.h"
#include "backend/notifications/event.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

struct MessageEvent {
  int64_t id = 0;
  absl::Time at;
  EventKind kind{};
  std::string subject;
  std::string text;
};

struct OutboundMessage {
  Channel channel{};
  int64_t id = 0;
  absl::Time at;
  Uid uid;
  int64_t attempt = 0;               // from 1
  std::vector<MessageEvent> events;  // the oldest first, at least one
};

struct OutboxHealth {
  int64_t waiting = 0;
  int64_t given_up_day = 0;  // within the last 24 h
  std::optional<absl::Time> last_sent;
};

// Thread-safe.
class Outbox {
 public:
  static constexpr int64_t kMaxEventsPerMessage = 50;
  // Of one message, over about a day.
  static constexpr int64_t kMaxAttempts = 8;
  // How long one that was taken is nobody else's.
  static constexpr absl::Duration kLease = absl::Minutes(5);
  // Webhooks that gave up so often in a row are paused.
  static constexpr int64_t kMaxFailures = 3;

  // Both outlive the object.
  Outbox(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // What a process before this one had taken is due again. Call at the start.
  absl::Status Recover();

  // The next message that is due; nothing: none is. The mark that it was taken
  // is on the disk. Nobody gets more than `per_hour` messages an hour: what
  // comes beyond goes together with the next. Events of the account do not
  // wait.
  absl::StatusOr<std::optional<OutboundMessage>> TakeDue(Channel channel,
                                                         int per_hour);

  // What came of it. CANCELLED: nobody tried; FAILED_PRECONDITION,
  // INVALID_ARGUMENT, NOT_FOUND and PERMISSION_DENIED: it is given up; others:
  // it is tried again later, until it is given up. The message is for its
  // owner.
  absl::Status RecordResult(const OutboundMessage& message,
                            const absl::Status& result);

  absl::StatusOr<OutboxHealth> HealthOf(Channel channel);

 private:
  Database& database_;
  const Clock& clock_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_OUTBOX_H_
