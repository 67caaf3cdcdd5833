// The table `announcements`. Each function runs in the body of a transaction or
// query; errors are the database's.
#ifndef CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_TABLE_H_
#define CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/announcements/announcement_rules.h"
#include "backend/store/database.h"

namespace carme::backend {

// The latest end first.
absl::StatusOr<std::vector<Announcement>> ReadAnnouncements(Database& db);
// Replaces one with the same id.
absl::Status WriteAnnouncement(Database& db, const Announcement& announcement);
absl::Status DeleteAnnouncement(Database& db, const std::string& id);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_TABLE_H_
