// Something happened of which a person should learn.
#ifndef CARME_BACKEND_NOTIFICATIONS_EVENT_H_
#define CARME_BACKEND_NOTIFICATIONS_EVENT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme {

// The first ones have carme.v1.JobEvent's numbers.
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
};

struct Event {
  Uid uid;  // who learns of it
  EventKind kind{};
  std::string subject{};  // a job's or project's id; may be empty
  std::string text{};     // one sentence
  // One event is told once, however often it is posted with this key; empty:
  // each time.
  std::string key{};
};

// Takes the event in as part of something greater. REQUIRES: in the body of a
// transaction: it is told when, and only when, that is on the disk.
absl::Status PostEvent(Database& db, const Event& event, absl::Time now);

}  // namespace carme

#endif  // CARME_BACKEND_NOTIFICATIONS_EVENT_H_
