#include "backend/notifications/event.h"

#include "backend/identity/notices.h"

namespace carme {

absl::Status PostEvent(Database& db, const Event& event, absl::Time now) {
  return WriteNotice(db, event.uid, event.text, now);
}

}  // namespace carme
