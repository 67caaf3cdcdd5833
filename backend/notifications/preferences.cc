#include "backend/notifications/preferences.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<Webhook>& WebhookColumns() {
  static const auto* const columns = new RowMapper<Webhook>({
      {"url", &Webhook::url},
      {"secret", &Webhook::secret},
      {"paused_at IS NOT NULL", &Webhook::paused},
  });
  return *columns;
}

}  // namespace

absl::Status Preferences::Offer(const std::vector<Channel>& channels) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement clear, db.Prepare("DELETE FROM notify_offers"));
    RETURN_IF_ERROR(clear.Run());
    for (const Channel channel : channels) {
      ASSIGN_OR_RETURN(
          Statement insert,
          db.Prepare("INSERT INTO notify_offers (channel) VALUES (?1)"));
      RETURN_IF_ERROR(insert.Bind(1, static_cast<int64_t>(channel)).Run());
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<KindSet> Preferences::ChoiceOf(Uid uid, Channel channel) {
  KindSet kinds;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(kinds, ReadChoice(db, uid, channel));
    return absl::OkStatus();
  }));
  return kinds;
}

absl::Status Preferences::Choose(Uid uid, Channel channel, KindSet kinds) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO notify_choices (uid, channel, kinds) "
                   "VALUES (?1,?2,?3) ON CONFLICT (uid, channel) "
                   "DO UPDATE SET kinds=?3"));
    return write.Bind(1, int64_t{uid.value()})
        .Bind(2, static_cast<int64_t>(channel))
        .Bind(3, kinds.bits())
        .Run();
  });
}

absl::StatusOr<std::optional<Webhook>> Preferences::WebhookOf(
    Uid uid, const std::string& owner) {
  std::optional<Webhook> webhook;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare(absl::StrCat("SELECT ", WebhookColumns().list(),
                                " FROM webhooks WHERE uid=?1 AND owner=?2")));
    row.Bind(1, int64_t{uid.value()}).Bind(2, owner);
    ASSIGN_OR_RETURN(webhook, WebhookColumns().ReadFirst(row));
    return absl::OkStatus();
  }));
  return webhook;
}

absl::Status WriteWebhook(Database& db, Uid uid, const std::string& owner,
                          const std::string& url, const std::string& secret) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO webhooks (uid, url, secret, failures, owner) "
                 "VALUES (?1,?2,?3,0,?4) ON CONFLICT (uid) DO UPDATE SET "
                 "url=?2, secret=?3, failures=0, paused_at=NULL, owner=?4"));
  return write.Bind(1, int64_t{uid.value()})
      .Bind(2, url)
      .Bind(3, secret)
      .Bind(4, owner)
      .Run();
}

absl::Status Preferences::SetWebhook(Uid uid, const std::string& owner,
                                     const std::string& url,
                                     const std::string& secret) {
  return database_.Transact(
      [&](Database& db) { return WriteWebhook(db, uid, owner, url, secret); });
}

absl::Status Preferences::RemoveForeignWebhook(Uid uid,
                                               const std::string& owner) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("DELETE FROM webhooks WHERE uid=?1 AND owner<>?2"));
    return write.Bind(1, int64_t{uid.value()}).Bind(2, owner).Run();
  });
}

absl::Status Preferences::RemoveWebhook(Uid uid) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM webhooks WHERE uid=?1"));
    return write.Bind(1, int64_t{uid.value()}).Run();
  });
}

}  // namespace carme::backend
