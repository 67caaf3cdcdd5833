// Makes one entry of events that are alike, so that whoever is refused, or
// opens the same app, a thousand times a second fills no disk. The first is
// written at once; those that follow within a minute are counted, and become
// one entry when it ends.
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

// Not thread-safe. Alike are two events that differ in nothing but time and
// request.
//
// 1. Folded are all refusals, and of what was allowed only what may be done
//    again and again without changing anything: the same app opened, the same
//    job cancelled, the same submission asked for with its key. Never a log-in,
//    nor a change of an account.
// 2. Whoever varies refusals (names that do not exist) is told apart in as many
//    ways as there are places. A person has places of their own. Strangers, who
//    are all that have no account here, share those of each act: whatever they
//    do, nobody else's entry is counted instead of written, and of their own
//    kind only that of the same act.
// 3. Without a place an event is counted by its origin, then by its act alone.
//    So strangers leave about 12 entries a minute of each act in the long run,
//    and a person about 12 and two of each act.
class EventFolder {
 public:
  static constexpr absl::Duration kWindow = absl::Minutes(1);
  // A place is free again after so long; all were free at first.
  static constexpr absl::Duration kPlaceEvery = absl::Seconds(10);
  // An origin is a person; of strangers an address, else a machine.
  static constexpr int kPlacesOfOrigin = 30;
  static constexpr int kPlacesOfAct = 60;

  // What to write of it now: the event itself, or nothing, because it was
  // counted.
  std::optional<AuditEvent> Take(const AuditEvent& event, absl::Time now);
  // Only counts it, by its act and decision, whatever it is.
  void Count(const AuditEvent& event, absl::Time now);
  // What the minutes that are over by `now` counted; forgets them.
  std::vector<AuditEvent> Ended(absl::Time now);
  bool empty() const { return minutes_.empty(); }

 private:
  struct Minute {
    AuditEvent event;
    absl::Time begin;
    int64_t more = 0;
    bool alike = true;
  };
  // Which minute it belongs to; `event` and `alike` as that one keeps them.
  std::string KeyOf(AuditEvent* event, bool* alike, absl::Time now);
  bool HasPlace(const std::string& key, int places, absl::Time now) const;
  void TakePlace(const std::string& key, absl::Time now);
  static AuditEvent Summary(const Minute& minute);

  std::map<std::string, Minute> minutes_;
  // When all places of a key will be free; who is not in it has them all.
  std::map<std::string, absl::Time> taken_until_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_EVENT_FOLDER_H_
