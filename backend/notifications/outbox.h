// Messages that wait to be sent, in a table, so that none is lost.
//
// The pending events of a user are sent together as one message. Its id and
// time are those of its first event; they stay the same when that event is
// deleted and are unique for the channel. A retried message keeps its id, also
// after a crash between sending and recording, so that recipients can detect
// duplicates.
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
  // Of one message; covers about a day.
  static constexpr int64_t kMaxAttempts = 8;
  // How long a taken message is reserved for its worker.
  static constexpr absl::Duration kLease = absl::Minutes(5);
  // Webhooks are paused after this number of consecutive failed messages.
  static constexpr int64_t kMaxFailures = 3;

  // Both must outlive the object.
  Outbox(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // Releases messages taken by a previous process. Call at the start.
  absl::Status Recover();

  // Takes the next due message and records that on the disk; nullopt: none is
  // due. A user gets at most `per_hour` messages an hour, counted in the table
  // of deliveries, which survives a restart; further events are sent with the
  // next message. Account events are not delayed.
  absl::StatusOr<std::optional<OutboundMessage>> TakeDue(Channel channel,
                                                         int per_hour);

  // Records the result of a delivery. CANCELLED: not attempted;
  // FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND and PERMISSION_DENIED:
  // give up; other errors: retry later, up to kMaxAttempts. The text of the
  // status is shown to the user.
  absl::Status RecordResult(const OutboundMessage& message,
                            const absl::Status& result);

  absl::StatusOr<OutboxHealth> HealthOf(Channel channel);

 private:
  Database& database_;
  const Clock& clock_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_OUTBOX_H_
