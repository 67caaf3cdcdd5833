#include "backend/notifications/channel.h"

#include <utility>

#include "common/status.h"

namespace carme::backend {

bool IsAlwaysDelivered(EventKind kind, Channel channel) {
  return kind == v1::NOTIFICATION_KIND_ACCOUNT && channel == v1::CHANNEL_MAIL;
}

KindSet DefaultKinds(Channel channel) {
  KindSet kinds;
  for (const EventKind kind : kSelectableKinds) {
    // By default no mail is sent for jobs that start and end normally.
    const bool is_routine = kind == v1::NOTIFICATION_KIND_JOB_STARTED ||
                            kind == v1::NOTIFICATION_KIND_JOB_ENDED;
    if (channel == v1::CHANNEL_WEBHOOK || !is_routine) kinds.Add(kind);
  }
  return kinds;
}

absl::StatusOr<KindSet> ReadChoice(Database& db, Uid uid, Channel channel) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare("SELECT kinds FROM notify_choices "
                                             "WHERE uid=?1 AND channel=?2"));
  row.Bind(1, int64_t{uid.value()}).Bind(2, static_cast<int64_t>(channel));
  ASSIGN_OR_RETURN(const bool chosen, row.Step());
  return chosen ? KindSet(row.Int(0)) : DefaultKinds(channel);
}

}  // namespace carme::backend
