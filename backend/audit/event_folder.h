// Aggregates equal events, so that a thousand refusals a second do not fill the
// disk. The first event is written at once; those that follow within a minute
// are counted and become one entry at its end.
#ifndef CARME_BACKEND_AUDIT_EVENT_FOLDER_H_
#define CARME_BACKEND_AUDIT_EVENT_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/audit/audit_entry.h"

namespace carme::backend {

// Not thread-safe. Two events are equal if they differ only in time and
// request.
//
// 1. All refusals are aggregated, and allowed operations that are idempotent:
//    opening the same app, cancelling the same job, repeating a submission with
//    its key. Never a login or a change of an account.
// 2. The number of different events of one origin that are written separately
// is
//    limited by its slots. A user has slots of their own. Unauthenticated
//    clients share the slots of each act, so that they never displace entries
//    of users, and entries of other unauthenticated clients only for the same
//    act.
// 3. Without a slot an event is counted by origin, then by act. Unauthenticated
//    clients therefore cause about 12 entries a minute of each act, and a user
//    about 12 and two of each act.
class EventFolder {
 public:
  static constexpr absl::Duration kWindow = absl::Minutes(1);
  // The time after which a slot is free again; initially all are free.
  static constexpr absl::Duration kSlotInterval = absl::Seconds(10);
  // An origin is a user, an address of unauthenticated clients, or a machine.
  static constexpr int kSlotsPerOrigin = 30;
  static constexpr int kSlotsPerAct = 60;

  // The event to write now; nullopt: it was counted.
  std::optional<AuditEvent> Take(const AuditEvent& event, absl::Time now);
  // Counts the event by act and decision.
  void Count(const AuditEvent& event, absl::Time now);
  // Returns and removes the entries of the minutes that have ended by `now`.
  std::vector<AuditEvent> Ended(absl::Time now);
  bool empty() const { return minutes_.empty(); }

 private:
  struct Minute {
    AuditEvent event;
    absl::Time begin;
    int64_t more = 0;
    bool alike = true;
  };
  // The key of the minute; sets `event` and `alike` as stored there.
  std::string KeyOf(AuditEvent* event, bool* alike, absl::Time now);
  bool HasSlot(const std::string& key, int slots, absl::Time now) const;
  void TakeSlot(const std::string& key, absl::Time now);
  static AuditEvent Summary(const Minute& minute);

  std::map<std::string, Minute> minutes_;
  // When all slots of a key are free again; missing keys have all slots.
  std::map<std::string, absl::Time> taken_until_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_EVENT_FOLDER_H_
