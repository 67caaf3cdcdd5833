// Makes one entry of refusals that are alike, so that whoever is refused a
// thousand times a second fills no disk. The first is written at once; those
// that follow within a minute are counted, and become one entry when it ends.
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

namespace carme {

// Not thread-safe. Alike are two refusals that differ in nothing but time and
// request. Whoever varies them (names that do not exist) is told apart in so
// many ways a minute; what is beyond is counted together, by origin, then by
// act alone. So there are at most about 2 * kMostInAll entries a minute,
// whatever comes. What was allowed is never folded.
class EventFolder {
 public:
  static constexpr absl::Duration kWindow = absl::Minutes(1);
  // An origin is a session, else an address, else a machine.
  static constexpr size_t kMostOfOrigin = 60;
  static constexpr size_t kMostInAll = 240;

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
    std::string origin;
    int64_t more = 0;
    bool alike = true;
  };
  // Which minute it belongs to; `event` and `alike` as that one keeps them.
  std::string KeyOf(const std::string& origin, AuditEvent* event,
                    bool* alike) const;
  static AuditEvent Summary(const Minute& minute);

  std::map<std::string, Minute> minutes_;
  std::map<std::string, size_t> origins_;  // how many minutes each has
};

}  // namespace carme

#endif  // CARME_BACKEND_AUDIT_EVENT_FOLDER_H_
