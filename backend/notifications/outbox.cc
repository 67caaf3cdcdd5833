#include "backend/notifications/outbox.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestProblem = 300;
// How many due messages one call checks against the hourly limit.
constexpr int kMaxChecked = 100;
constexpr absl::Duration kHour = absl::Hours(1);

constexpr std::array<absl::Duration, 7> kPauses = {
    absl::Minutes(1), absl::Minutes(5), absl::Minutes(15), absl::Hours(1),
    absl::Hours(3),   absl::Hours(6),   absl::Hours(12)};

int64_t Number(Channel channel) { return static_cast<int64_t>(channel); }
int64_t Number(DeliveryState state) { return static_cast<int64_t>(state); }

absl::Duration PauseAfter(int64_t attempt) {
  const int64_t last = kPauses.size() - 1;
  return kPauses[std::clamp<int64_t>(attempt - 1, 0, last)];
}

bool IsFinal(const absl::Status& result) {
  return absl::IsFailedPrecondition(result) ||
         absl::IsInvalidArgument(result) || absl::IsNotFound(result) ||
         absl::IsPermissionDenied(result);
}

struct Due {
  Uid uid;
  int64_t message = 0;  // 0: not assigned yet
  bool urgent = false;
  int64_t attempts = 0;
};

const RowMapper<Due>& DueColumns() {
  static const auto* const columns = new RowMapper<Due>({
      {"uid", &Due::uid},
      {"coalesce(message, 0)", &Due::message},
      {"urgent", &Due::urgent},
      {"attempts", &Due::attempts},
  });
  return *columns;
}

const RowMapper<MessageEvent>& MessageColumns() {
  static const auto* const columns = new RowMapper<MessageEvent>({
      {"e.id", &MessageEvent::id},
      {"e.at", &MessageEvent::at},
      {"e.kind", &MessageEvent::kind},
      {"e.subject", &MessageEvent::subject},
      {"e.text", &MessageEvent::text},
  });
  return *columns;
}

// ?1: the channel; ?2: the begin of the last day.
const RowMapper<OutboxHealth>& HealthColumns() {
  static const auto* const columns = new RowMapper<OutboxHealth>({
      {"(SELECT count(*) FROM deliveries WHERE channel=?1 AND state=1)",
       &OutboxHealth::waiting},
      {"(SELECT count(*) FROM deliveries WHERE channel=?1 AND state=3 AND "
       "done_at>?2)",
       &OutboxHealth::given_up_day},
      {"(SELECT max(done_at) FROM deliveries WHERE channel=?1 AND state=2)",
       &OutboxHealth::last_sent},
  });
  return *columns;
}

absl::StatusOr<std::optional<Due>> FindDue(Database& db, Channel channel,
                                           absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(absl::StrCat("SELECT ", DueColumns().list(),
                              " FROM deliveries WHERE channel=?1 AND state=1 "
                              "AND next_at<=?2 ORDER BY next_at LIMIT 1")));
  row.Bind(1, Number(channel)).Bind(2, absl::ToUnixMicros(now));
  return DueColumns().ReadFirst(row);
}

// When the next message may be sent to the user.
absl::StatusOr<absl::Time> FreeAt(Database& db, Channel channel, Uid uid,
                                  int per_hour, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(
          "SELECT count(DISTINCT message), min(begun_at) FROM deliveries "
          "WHERE uid=?1 AND channel=?2 AND urgent=0 AND begun_at>?3"));
  row.Bind(1, int64_t{uid.value()})
      .Bind(2, Number(channel))
      .Bind(3, absl::ToUnixMicros(now - kHour));
  RETURN_IF_ERROR(row.Step().status());
  if (row.Int(0) < per_hour) return now;
  return absl::FromUnixMicros(row.Int(1)) + kHour;
}

absl::Status Postpone(Database& db, Channel channel, Uid uid,
                      absl::Time until) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE deliveries SET next_at=?1 WHERE uid=?2 AND "
                 "channel=?3 AND state=1 AND urgent=0 AND message IS NULL"));
  return write.Bind(1, absl::ToUnixMicros(until))
      .Bind(2, int64_t{uid.value()})
      .Bind(3, Number(channel))
      .Run();
}

// Puts the waiting events of a user into one message. Returns its id.
absl::StatusOr<int64_t> Bundle(Database& db, Channel channel, const Due& due) {
  ASSIGN_OR_RETURN(
      Statement first,
      db.Prepare("SELECT min(event) FROM deliveries WHERE uid=?1 AND "
                 "channel=?2 AND state=1 AND urgent=?3 AND message IS NULL"));
  first.Bind(1, int64_t{due.uid.value()})
      .Bind(2, Number(channel))
      .Bind(3, int64_t{due.urgent});
  RETURN_IF_ERROR(first.Step().status());
  const int64_t id = first.Int(0);
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare(
          "UPDATE deliveries SET message=?1, message_at="
          "(SELECT at FROM events WHERE id=?1) WHERE channel=?3 AND event "
          "IN (SELECT event FROM deliveries WHERE uid=?2 AND "
          "channel=?3 AND state=1 AND urgent=?4 AND message IS NULL "
          "ORDER BY event LIMIT ?5)"));
  RETURN_IF_ERROR(write.Bind(1, id)
                      .Bind(2, int64_t{due.uid.value()})
                      .Bind(3, Number(channel))
                      .Bind(4, int64_t{due.urgent})
                      .Bind(5, Outbox::kMaxEventsPerMessage)
                      .Run());
  return id;
}

absl::Status Begin(Database& db, const OutboundMessage& message,
                   absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE deliveries SET attempts=?1, begun_at=?2, next_at=?3 "
                 "WHERE message=?4 AND channel=?5 AND state=1"));
  return write.Bind(1, message.attempt)
      .Bind(2, absl::ToUnixMicros(now))
      .Bind(3, absl::ToUnixMicros(now + Outbox::kLease))
      .Bind(4, message.id)
      .Bind(5, Number(message.channel))
      .Run();
}

// Also reads the time of the message.
absl::Status ReadEvents(Database& db, OutboundMessage* message) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT ", MessageColumns().list(),
          ", coalesce(d.message_at, e.at) FROM deliveries d JOIN events e "
          "ON e.id=d.event WHERE d.message=?1 AND d.channel=?2 AND d.state=1 "
          "ORDER BY e.id")));
  rows.Bind(1, message->id).Bind(2, Number(message->channel));
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    if (message->events.empty()) {
      RETURN_IF_ERROR(ReadColumn(rows, MessageColumns().size(), &message->at));
    }
    ASSIGN_OR_RETURN(MessageEvent event, MessageColumns().Read(rows));
    message->events.push_back(std::move(event));
  }
}

absl::StatusOr<std::optional<OutboundMessage>> TakeOne(Database& db,
                                                       Channel channel,
                                                       int per_hour,
                                                       absl::Time now) {
  for (int checked = 0; checked < kMaxChecked; ++checked) {
    ASSIGN_OR_RETURN(const std::optional<Due> due, FindDue(db, channel, now));
    if (!due) return std::nullopt;
    if (due->message == 0 && !due->urgent) {
      ASSIGN_OR_RETURN(const absl::Time free_at,
                       FreeAt(db, channel, due->uid, per_hour, now));
      if (free_at > now) {
        RETURN_IF_ERROR(Postpone(db, channel, due->uid, free_at));
        continue;
      }
    }
    OutboundMessage message{.channel = channel,
                            .id = due->message,
                            .at = {},
                            .uid = due->uid,
                            .attempt = due->attempts + 1,
                            .events = {}};
    if (message.id == 0) {
      ASSIGN_OR_RETURN(message.id, Bundle(db, channel, *due));
    }
    RETURN_IF_ERROR(Begin(db, message, now));
    RETURN_IF_ERROR(ReadEvents(db, &message));
    return message;
  }
  return std::nullopt;
}

absl::Status CountSuccess(Database& db, Uid uid) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("UPDATE webhooks SET failures=0 WHERE uid=?1"));
  return write.Bind(1, int64_t{uid.value()}).Run();
}

absl::Status CountFailure(Database& db, Uid uid, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE webhooks SET failures=failures+1, paused_at="
                 "iif(failures+1>=?2, ?3, paused_at) WHERE uid=?1"));
  return write.Bind(1, int64_t{uid.value()})
      .Bind(2, Outbox::kMaxFailures)
      .Bind(3, absl::ToUnixMicros(now))
      .Run();
}

}  // namespace

absl::Status Outbox::Recover() {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("UPDATE deliveries SET next_at=?1 WHERE "
                                "state=1 AND next_at=begun_at+?2"));
    return write.Bind(1, absl::ToUnixMicros(clock_.Now()))
        .Bind(2, absl::ToInt64Microseconds(kLease))
        .Run();
  });
}

absl::StatusOr<std::optional<OutboundMessage>> Outbox::TakeDue(Channel channel,
                                                               int per_hour) {
  const absl::Time now = clock_.Now();
  std::optional<Due> due;
  // Usually no message is due, so this query avoids a transaction.
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(due, FindDue(db, channel, now));
    return absl::OkStatus();
  }));
  std::optional<OutboundMessage> message;
  if (!due) return message;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(message, TakeOne(db, channel, per_hour, now));
    return absl::OkStatus();
  }));
  return message;
}

absl::Status Outbox::RecordResult(const OutboundMessage& message,
                                  const absl::Status& result) {
  const absl::Time now = clock_.Now();
  DeliveryState state = v1::DELIVERY_STATE_WAITING;
  absl::Time next = now;
  std::string problem;
  if (result.ok()) {
    state = v1::DELIVERY_STATE_SENT;
  } else if (!absl::IsCancelled(result)) {
    problem = Readable(std::string(result.message()), kLongestProblem);
    next = now + PauseAfter(message.attempt);
    if (IsFinal(result) || message.attempt >= kMaxAttempts) {
      state = v1::DELIVERY_STATE_GIVEN_UP;
    }
  }
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("UPDATE deliveries SET state=?1, done_at=iif(?1=1, NULL, "
                   "?2), next_at=?3, problem=?4 WHERE message=?5 AND "
                   "channel=?6 AND state=1"));
    RETURN_IF_ERROR(write.Bind(1, Number(state))
                        .Bind(2, absl::ToUnixMicros(now))
                        .Bind(3, absl::ToUnixMicros(next))
                        .Bind(4, problem)
                        .Bind(5, message.id)
                        .Bind(6, Number(message.channel))
                        .Run());
    if (message.channel != v1::CHANNEL_WEBHOOK ||
        state == v1::DELIVERY_STATE_WAITING) {
      return absl::OkStatus();
    }
    return state == v1::DELIVERY_STATE_SENT
               ? CountSuccess(db, message.uid)
               : CountFailure(db, message.uid, now);
  });
}

absl::StatusOr<OutboxHealth> Outbox::HealthOf(Channel channel) {
  std::optional<OutboxHealth> health;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(absl::StrCat(
                                        "SELECT ", HealthColumns().list())));
    row.Bind(1, Number(channel))
        .Bind(2, absl::ToUnixMicros(clock_.Now() - absl::Hours(24)));
    ASSIGN_OR_RETURN(health, HealthColumns().ReadFirst(row));
    return absl::OkStatus();
  }));
  return health.value_or(OutboxHealth{});
}

}  // namespace carme::backend
