#include "backend/announcements/announcement_table.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<Announcement>& AnnouncementColumns() {
  static const auto* const columns = new RowMapper<Announcement>({
      {"id", &Announcement::id},
      {"title", &Announcement::title},
      {"text", &Announcement::text},
      {"level", &Announcement::level},
      {"audience", &Announcement::audience},
      {"audience_name", &Announcement::audience_name},
      {"starts_at", &Announcement::starts_at},
      {"ends_at", &Announcement::ends_at},
      {"set_by", &Announcement::set_by},
      {"set_at", &Announcement::set_at},
  });
  return *columns;
}

}  // namespace

absl::StatusOr<std::vector<Announcement>> ReadAnnouncements(Database& db) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare(absl::StrCat(
                       "SELECT ", AnnouncementColumns().list(),
                       " FROM announcements ORDER BY ends_at DESC, id")));
  return AnnouncementColumns().ReadAll(statement);
}

absl::Status WriteAnnouncement(Database& db, const Announcement& announcement) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(absl::StrCat("INSERT OR REPLACE INTO announcements (",
                              AnnouncementColumns().list(), ") VALUES (",
                              AnnouncementColumns().parameters(), ")")));
  AnnouncementColumns().Bind(statement, announcement);
  return statement.Run();
}

absl::Status DeleteAnnouncement(Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(Statement statement,
                   db.Prepare("DELETE FROM announcements WHERE id=?1"));
  return statement.Bind(1, id).Run();
}

}  // namespace carme::backend
