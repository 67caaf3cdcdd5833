#include "backend/notifications/event.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/notifications/channel.h"
#include "backend/notifications/messages.h"
#include "carme/v1/jobs.pb.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestText = 1000;

// The id of the event; nullopt: it is in the table already.
absl::StatusOr<std::optional<int64_t>> Insert(Database& db, const Event& event,
                                              absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare(
          "INSERT INTO events (uid, at, kind, subject, text, key, "
          "text_code) VALUES (?1,?2,?3,?4,?5,?6,?7) ON CONFLICT DO NOTHING "
          "RETURNING id"));
  insert.Bind(1, int64_t{event.uid.value()})
      .Bind(2, absl::ToUnixMicros(now))
      .Bind(3, static_cast<int64_t>(event.kind))
      .Bind(4, event.subject)
      .Bind(5, Readable(event.text.text, kLongestText))
      .BindBlob(7, SerializeTextCode(event.text));
  if (event.key.empty()) {
    insert.BindNull(6);
  } else {
    insert.Bind(6, event.key);
  }
  ASSIGN_OR_RETURN(const bool is_new, insert.Step());
  if (!is_new) return std::nullopt;
  return insert.Int(0);
}

absl::Status Prune(Database& db, const Event& event) {
  const bool account = event.kind == v1::NOTIFICATION_KIND_ACCOUNT;
  ASSIGN_OR_RETURN(
      Statement prune,
      db.Prepare("DELETE FROM events WHERE uid=?1 AND (kind=?2)=?3 AND id<="
                 "(SELECT id FROM events WHERE uid=?1 AND (kind=?2)=?3 "
                 "ORDER BY id DESC LIMIT 1 OFFSET ?4)"));
  return prune.Bind(1, int64_t{event.uid.value()})
      .Bind(2, static_cast<int64_t>(v1::NOTIFICATION_KIND_ACCOUNT))
      .Bind(3, int64_t{account})
      .Bind(4, account ? kMaxAccountEvents : kMaxEvents)
      .Run();
}

// Whether the user requested this notification for this job.
absl::StatusOr<bool> IsWantedOfJob(Database& db, const Event& event) {
  if (event.subject.empty() || event.kind > v1::NOTIFICATION_KIND_JOB_IDLE)
    return false;
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT spec FROM jobs WHERE id=?1 AND owner_uid=?2"));
  row.Bind(1, event.subject).Bind(2, int64_t{event.uid.value()});
  ASSIGN_OR_RETURN(const bool found, row.Step());
  v1::JobSpec spec;
  if (!found || !spec.ParseFromString(row.Blob(0))) return false;
  return std::find(spec.notify().begin(), spec.notify().end(),
                   static_cast<int>(event.kind)) != spec.notify().end();
}

absl::StatusOr<bool> Exists(Database& db, std::string_view sql, int64_t key) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare(sql));
  return row.Bind(1, key).Step();
}

absl::StatusOr<std::vector<Channel>> ChannelsOf(Database& db,
                                                const Event& event) {
  std::vector<Channel> channels;
  for (const Channel channel : kChannels) {
    ASSIGN_OR_RETURN(const bool offered,
                     Exists(db, "SELECT 1 FROM notify_offers WHERE channel=?1",
                            static_cast<int64_t>(channel)));
    if (!offered) continue;
    if (channel == v1::CHANNEL_WEBHOOK) {
      ASSIGN_OR_RETURN(
          const bool works,
          Exists(db,
                 "SELECT 1 FROM webhooks WHERE uid=?1 AND paused_at IS NULL",
                 int64_t{event.uid.value()}));
      if (!works) continue;
    }
    ASSIGN_OR_RETURN(const KindSet chosen, ReadChoice(db, event.uid, channel));
    ASSIGN_OR_RETURN(const bool of_job, IsWantedOfJob(db, event));
    if (chosen.Has(event.kind) || of_job ||
        IsAlwaysDelivered(event.kind, channel)) {
      channels.push_back(channel);
    }
  }
  return channels;
}

absl::Status Enqueue(Database& db, int64_t id, const Event& event,
                     Channel channel, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare(
          "INSERT INTO deliveries (event, channel, uid, urgent, state, "
          "attempts, next_at, problem) VALUES (?1,?2,?3,?4,?5,0,?6,'')"));
  return insert.Bind(1, id)
      .Bind(2, static_cast<int64_t>(channel))
      .Bind(3, int64_t{event.uid.value()})
      .Bind(4, int64_t{event.kind == v1::NOTIFICATION_KIND_ACCOUNT})
      .Bind(5, static_cast<int64_t>(v1::DELIVERY_STATE_WAITING))
      .Bind(6, absl::ToUnixMicros(now))
      .Run();
}

}  // namespace

absl::Status PostEvent(Database& db, const Event& event, absl::Time now) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> id, Insert(db, event, now));
  if (!id) return absl::OkStatus();
  RETURN_IF_ERROR(Prune(db, event));
  ASSIGN_OR_RETURN(const std::vector<Channel> channels, ChannelsOf(db, event));
  for (const Channel channel : channels) {
    RETURN_IF_ERROR(Enqueue(db, *id, event, channel, now));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PostTest(Database& db, Uid uid, Channel channel,
                                 absl::Time now) {
  const Event event{
      .uid = uid,
      .kind = v1::NOTIFICATION_KIND_TEST,
      .text = MakeText(channel == v1::CHANNEL_MAIL
                           ? notification_messages::kTestByMail
                           : notification_messages::kTestByWebhook),
      .key = absl::StrCat("test:", static_cast<int>(channel), ":",
                          absl::ToUnixSeconds(now) / 60)};
  ASSIGN_OR_RETURN(const std::optional<int64_t> id, Insert(db, event, now));
  if (!id) {
    return MakeError(notification_messages::kTestTooOften);
  }
  RETURN_IF_ERROR(Prune(db, event));
  RETURN_IF_ERROR(Enqueue(db, *id, event, channel, now));
  return *id;
}

}  // namespace carme::backend
