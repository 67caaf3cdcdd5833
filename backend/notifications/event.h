// Events of which users are notified.
#ifndef CARME_BACKEND_NOTIFICATIONS_EVENT_H_
#define CARME_BACKEND_NOTIFICATIONS_EVENT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "carme/v1/notification.pb.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme::backend {

// Their numbers are stored in the database. The first kinds have the numbers of
// carme.v1.JobEvent.
using EventKind = v1::NotificationKind;
using Channel = v1::Channel;
using DeliveryState = v1::DeliveryState;

struct Event {
  Uid uid;  // the recipient
  EventKind kind{};
  std::string subject{};  // a job's or project's id; may be empty
  DisplayText text{};     // one sentence
  // Idempotency key: events with the same key are delivered once. Empty: no
  // key.
  std::string key{};
};

// Per user; older events are deleted, read or not. Account events are counted
// separately, so that other events cannot displace them.
inline constexpr int64_t kMaxEvents = 200;
inline constexpr int64_t kMaxAccountEvents = 50;

// Adds the event within a transaction of the caller: it is delivered if and
// only if the transaction commits. REQUIRES: in the body of a transaction.
absl::Status PostEvent(Database& db, const Event& event, absl::Time now);

// Adds a test event for one channel; returns its id. RESOURCE_EXHAUSTED: the
// last test was less than a minute ago. REQUIRES: as above.
absl::StatusOr<int64_t> PostTest(Database& db, Uid uid, Channel channel,
                                 absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_EVENT_H_
