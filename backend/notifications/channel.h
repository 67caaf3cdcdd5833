// The channels of notifications outside of the portal, and the kinds of events
// that each delivers.
#ifndef CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_
#define CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/notifications/event.h"

namespace carme::backend {

inline constexpr std::array<Channel, 2> kChannels = {v1::CHANNEL_MAIL,
                                                     v1::CHANNEL_WEBHOOK};

// The kinds that users can select, in the order of the page.
inline constexpr std::array<EventKind, 10> kSelectableKinds = {
    v1::NOTIFICATION_KIND_JOB_STARTED, v1::NOTIFICATION_KIND_JOB_ENDS_SOON,
    v1::NOTIFICATION_KIND_JOB_ENDED,   v1::NOTIFICATION_KIND_JOB_FAILED,
    v1::NOTIFICATION_KIND_JOB_IDLE,    v1::NOTIFICATION_KIND_PROJECT,
    v1::NOTIFICATION_KIND_RESERVATION, v1::NOTIFICATION_KIND_QUOTA,
    v1::NOTIFICATION_KIND_NODE,        v1::NOTIFICATION_KIND_ACCOUNT};

// A set of kinds, stored as one bit each.
class KindSet {
 public:
  KindSet() = default;
  explicit KindSet(int64_t bits) : bits_(bits) {}
  void Add(EventKind kind) { bits_ |= BitOf(kind); }
  bool Has(EventKind kind) const { return (bits_ & BitOf(kind)) != 0; }
  int64_t bits() const { return bits_; }
  friend bool operator==(const KindSet&, const KindSet&) = default;

 private:
  static int64_t BitOf(EventKind kind) {
    return int64_t{1} << static_cast<int>(kind);
  }
  int64_t bits_ = 0;
};

// Whether the kind is delivered whatever the preferences are: account events
// warn the owner of a compromised account.
bool IsAlwaysDelivered(EventKind kind, Channel channel);

// The preferences of users who have not selected any.
KindSet DefaultKinds(Channel channel);

// The kinds delivered to the user by a channel. REQUIRES: in a body of `db`.
absl::StatusOr<KindSet> ReadChoice(Database& db, Uid uid, Channel channel);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_
