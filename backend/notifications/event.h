// Something happened of which a person should learn.
#ifndef CARME_BACKEND_NOTIFICATIONS_EVENT_H_
#define CARME_BACKEND_NOTIFICATIONS_EVENT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

enum class Channel;

// carme.v1.NotificationKind's numbers, which stand in the table; the first ones
// are carme.v1.JobEvent's, too.
enum class EventKind {
  kJobStarted = 1,
  kJobEndsSoon = 2,
  kJobEnded = 3,
  kJobFailed = 4,
  kJobIdle = 5,
  kProject = 20,
  kReservation = 21,
  kQuota = 22,
  kAccount = 23,
  kTest = 24,
};

struct Event {
  Uid uid;  // who learns of it
  EventKind kind{};
  std::string subject{};  // a job's or project's id; may be empty
  std::string text{};     // one sentence
  // One event is fixture once, however often it is posted with this key; empty:
  // each time.
  std::string key{};
};

// Of each account: older ones are forgotten, read or not. Those of the account
// itself are counted apart, so that nobody can bury them under others.
inline constexpr int64_t kMaxEvents = 200;
inline constexpr int64_t kMaxAccountEvents = 50;

// Takes the event in as part of something greater. REQUIRES: in the body of a
// transaction: it is fixture when, and only when, that is on the disk.
absl::Status PostEvent(Database& db, const Event& event, absl::Time now);

// Tells somebody something by one channel alone; returns its id.
// RESOURCE_EXHAUSTED: it was done within this minute. REQUIRES: as above.
absl::StatusOr<int64_t> PostTest(Database& db, Uid uid, Channel channel,
                                 absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_EVENT_H_
