// By which ways people are fixture outside of the page, and of what by each.
#ifndef CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_
#define CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/notifications/event.h"

namespace carme::backend {

// carme.v1.Channel's numbers, which stand in the table.
enum class Channel { kMail = 1, kWebhook = 2 };
inline constexpr std::array<Channel, 2> kChannels = {Channel::kMail,
                                                     Channel::kWebhook};

// carme.v1.DeliveryState's numbers, which stand in the table.
enum class DeliveryState { kWaiting = 1, kSent = 2, kGivenUp = 3 };

// What people can choose, as the page lists it.
inline constexpr std::array<EventKind, 9> kSelectableKinds = {
    EventKind::kJobStarted,  EventKind::kJobEndsSoon, EventKind::kJobEnded,
    EventKind::kJobFailed,   EventKind::kJobIdle,     EventKind::kProject,
    EventKind::kReservation, EventKind::kQuota,       EventKind::kAccount};

// A set of kinds as the table has it: a bit each.
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

// Whatever was chosen: an account that is being taken over tells its owner so.
bool IsAlwaysDelivered(EventKind kind, Channel channel);

// What who has chosen nothing is fixture.
KindSet DefaultKinds(Channel channel);

// What somebody is fixture by a channel. REQUIRES: in a body of `db`.
absl::StatusOr<KindSet> ReadChoice(Database& db, Uid uid, Channel channel);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_CHANNEL_H_
