#include "backend/notifications/inbox.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "backend/store/text_code_column.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<InboxDelivery>& DeliveryColumns() {
  static const auto* const columns = new RowMapper<InboxDelivery>({
      {"channel", &InboxDelivery::channel},
      {"state", &InboxDelivery::state},
      {"problem", &InboxDelivery::problem},
  });
  return *columns;
}

const RowMapper<InboxEvent>& EventColumns() {
  static const auto* const columns = new RowMapper<InboxEvent>({
      {"id", &InboxEvent::id},
      {"at", &InboxEvent::at},
      {"kind", &InboxEvent::kind},
      {"subject", &InboxEvent::subject},
      {"text", Member(&InboxEvent::text, &DisplayText::text)},
      TextCodeColumn("text_code", &InboxEvent::text),
      {"read_at IS NOT NULL", &InboxEvent::read},
  });
  return *columns;
}

absl::StatusOr<int64_t> CountUnread(Database& db, Uid uid) {
  ASSIGN_OR_RETURN(
      Statement count,
      db.Prepare("SELECT count(*) FROM events WHERE uid=?1 AND read_at IS "
                 "NULL"));
  RETURN_IF_ERROR(count.Bind(1, int64_t{uid.value()}).Step().status());
  return count.Int(0);
}

absl::StatusOr<std::vector<InboxDelivery>> ReadDeliveries(Database& db,
                                                          int64_t event) {
  ASSIGN_OR_RETURN(Statement rows,
                   db.Prepare(absl::StrCat("SELECT ", DeliveryColumns().list(),
                                           " FROM deliveries WHERE event=?1 "
                                           "ORDER BY channel")));
  rows.Bind(1, event);
  return DeliveryColumns().ReadAll(rows);
}

absl::StatusOr<std::vector<InboxEvent>> ReadEvents(Database& db, Uid uid,
                                                   int64_t before, int limit) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat("SELECT ", EventColumns().list(),
                              " FROM events WHERE uid=?1 AND "
                              "(?2=0 OR id<?2) ORDER BY id DESC LIMIT ?3")));
  rows.Bind(1, int64_t{uid.value()}).Bind(2, before).Bind(3, int64_t{limit});
  return EventColumns().ReadAll(rows);
}

absl::Status Mark(Database& db, Uid uid, std::string_view which, int64_t id,
                  absl::Time now) {
  ASSIGN_OR_RETURN(Statement write, db.Prepare(which));
  return write.Bind(1, absl::ToUnixMicros(now))
      .Bind(2, int64_t{uid.value()})
      .Bind(3, id)
      .Run();
}

constexpr std::string_view kMarkOne =
    "UPDATE events SET read_at=?1 WHERE uid=?2 AND id=?3 AND read_at IS NULL";
constexpr std::string_view kMarkUpTo =
    "UPDATE events SET read_at=?1 WHERE uid=?2 AND id<=?3 AND read_at IS NULL";

}  // namespace

absl::StatusOr<InboxPage> Inbox::List(Uid uid, int64_t before, int limit) {
  InboxPage page;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(page.events, ReadEvents(db, uid, before, limit + 1));
    page.more = page.events.size() > static_cast<size_t>(limit);
    if (page.more) page.events.pop_back();
    for (InboxEvent& event : page.events) {
      ASSIGN_OR_RETURN(event.deliveries, ReadDeliveries(db, event.id));
    }
    ASSIGN_OR_RETURN(page.unread, CountUnread(db, uid));
    return absl::OkStatus();
  }));
  return page;
}

absl::StatusOr<int64_t> Inbox::MarkRead(Uid uid,
                                        const std::vector<int64_t>& ids,
                                        int64_t up_to) {
  int64_t unread = 0;
  const absl::Status marked =
      database_.Transact([&](Database& db) -> absl::Status {
        const absl::Time now = clock_.Now();
        for (const int64_t id : ids) {
          RETURN_IF_ERROR(Mark(db, uid, kMarkOne, id, now));
        }
        RETURN_IF_ERROR(Mark(db, uid, kMarkUpTo, up_to, now));
        ASSIGN_OR_RETURN(unread, CountUnread(db, uid));
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(marked);
  absl::MutexLock lock(&mutex_);
  ++reads_[uid.value()];
  return unread;
}

uint64_t Inbox::ReadsOf(Uid uid) const {
  absl::MutexLock lock(&mutex_);
  const auto found = reads_.find(uid.value());
  return found == reads_.end() ? 0 : found->second;
}

void Inbox::Sweep() {
  const absl::Status swept = database_.Transact([&](Database& db)
                                                    -> absl::Status {
    ASSIGN_OR_RETURN(Statement remove,
                     db.Prepare("DELETE FROM events WHERE at<?1"));
    return remove.Bind(1, absl::ToUnixMicros(clock_.Now() - kRetention)).Run();
  });
  if (swept.ok()) return;
  LogError("deleting old notifications failed", {{"error", StatusText(swept)}});
}

}  // namespace carme::backend
