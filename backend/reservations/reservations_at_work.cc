// What becomes of bookings after they were asked for: Follow().
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/notifications/event.h"
#include "backend/reservations/booking_table.h"
#include "backend/reservations/reservations.h"
#include "backend/reservations/under_way.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// After that a booking whose answer was lost counts as not made; one that Slurm
// makes later still is ended.
constexpr absl::Duration kSurelyNot = absl::Minutes(5);
// A controller that took over from another may need that long to have all.
constexpr absl::Duration kSettling = absl::Minutes(2);
// How often Slurm is asked about a booking that the watcher is not shown.
constexpr absl::Duration kBetweenLooks = absl::Minutes(5);
constexpr absl::Duration kBetweenTries = absl::Seconds(30);
// For as long a late answer of Slurm's is still recognized.
constexpr absl::Duration kOverKept = absl::Hours(24);

constexpr char kRequestId[] = "reservations";

}  // namespace

void Reservations::Follow() {
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  // It says nothing about who is there and who is not.
  if (!seen->reachable || seen->reservations_asked_at == absl::InfinitePast()) {
    return;
  }
  std::vector<Booking> bookings;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(bookings, ReadBookings(db));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("reservations not looked through", {{"error", read.ToString()}});
    return;
  }
  for (const Booking& booking : bookings) {
    const UnderWay act(this, booking.id);
    if (!act.alone()) continue;
    // Somebody may have acted on it between the look at all and this one.
    if (const std::optional<Booking> now = ReadAgain(booking.id)) {
      FollowOne(*now, *seen);
    }
  }
}

std::optional<Booking> Reservations::ReadAgain(const std::string& id) {
  std::optional<Booking> booking;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(booking, FindBooking(db, id));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("reservation not looked at", {{"error", read.ToString()}});
  }
  return booking;
}

void Reservations::FollowOne(const Booking& booking,
                             const SlurmSnapshot& seen) {
  const std::string name = SlurmNameOf(booking);
  const auto slurm = std::find_if(
      seen.reservations.begin(), seen.reservations.end(),
      [&](const SlurmReservation& row) { return row.name == name; });
  const bool is_there = slurm != seen.reservations.end();
  const absl::Duration since = seen.reservations_asked_at - booking.changed_at;
  const bool settled = since > kSettling;
  if (booking.state == BookingState::kBooked &&
      IsOfProjectThatIsOver(booking)) {
    return EndWithProject(booking);
  }
  if (!is_there && seen.reservations_hidden &&
      booking.state != BookingState::kOver) {
    return FollowHidden(booking, since);
  }
  switch (booking.state) {
    case BookingState::kBooking:
      if (is_there) return Move(booking, BookingState::kBooked, "");
      if (since <= kSurelyNot) return;
      return Move(booking, BookingState::kOver, WordsOfEnd(booking));
    case BookingState::kBooked:
      if (is_there) return LetIn(booking, *slurm);
      if (!settled) return;
      return Move(booking, BookingState::kOver, WordsOfEnd(booking));
    case BookingState::kCancelling:
      if (is_there) return EndAgain(booking);
      if (settled) Move(booking, BookingState::kOver, "");
      return;
    case BookingState::kOver:
      if (is_there && settled) return EndAgain(booking);
      if (EndOf(booking.spec) + kOverKept > parts_.clock->Now()) return;
      if (since <= kOverKept) return;
      break;
  }
  next_try_.erase(booking.id);
  const absl::Status gone = parts_.database->Transact(
      [&](Database& db) { return DeleteBooking(db, booking.id); });
  if (!gone.ok()) {
    LogError("reservation not forgotten", {{"error", gone.ToString()}});
  }
}

bool Reservations::IsOfProjectThatIsOver(const Booking& booking) {
  if (booking.spec.project.empty()) return false;
  if (EndOf(booking.spec) <= parts_.clock->Now()) return false;
  bool is_active = true;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(
            const Standing standing,
            StandingIn(db, booking.spec.project, booking.owner_uid));
        is_active = standing.is_active;
        return absl::OkStatus();
      });
  return read.ok() && !is_active;
}

// Its nodes are others' again. While jobs run in it Slurm refuses, and it is
// tried again until they have ended, or its time has.
void Reservations::EndWithProject(const Booking& booking) {
  if (!IsDue(booking.id, kBetweenTries)) return;
  Move(booking, BookingState::kCancelling,
       "is cancelled, since its project is over");
}

std::string Reservations::WordsOfEnd(const Booking& booking) const {
  if (booking.state == BookingState::kBooking) {
    return "could not be made: Slurm did not answer";
  }
  return EndOf(booking.spec) > parts_.clock->Now() ? "was removed in Slurm"
                                                   : "";
}

// That it is not seen means nothing: whoever acts as Slurm's own user is told
// whether it is there, and by nothing else is it taken for gone.
void Reservations::FollowHidden(const Booking& booking, absl::Duration since) {
  if (booking.state == BookingState::kCancelling) return EndAgain(booking);
  const bool is_new = booking.state == BookingState::kBooking;
  if (is_new && since <= kSurelyNot) return;
  if (EndOf(booking.spec) <= parts_.clock->Now()) {
    return Move(booking, BookingState::kOver, WordsOfEnd(booking));
  }
  const absl::StatusOr<NodeBooking> order = ReadOrder(booking);
  if (!order.ok() || !IsDue(booking.id, kBetweenLooks)) return;
  const absl::Status answer = parts_.reserver->SetUsers(
      {booking.owner, booking.owner_uid}, *order, kRequestId);
  if (answer.ok() && is_new) Move(booking, BookingState::kBooked, "");
  if (absl::IsNotFound(answer)) {
    Move(booking, BookingState::kOver, WordsOfEnd(booking));
  }
}

void Reservations::Move(const Booking& booking, BookingState to,
                        const std::string& news) {
  const absl::Time now = parts_.clock->Now();
  const absl::Status moved =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        RETURN_IF_ERROR(MoveBooking(db, booking.id, booking.state, to, now));
        if (news.empty()) return absl::OkStatus();
        return PostEvent(
            db,
            {.uid = booking.owner_uid,
             .kind = EventKind::kReservation,
             .subject = booking.id,
             .text = absl::StrCat("Your reservation \"", booking.spec.title,
                                  "\" ", news, "."),
             .key = absl::StrCat("reservation-", booking.id, "-",
                                 static_cast<int>(to))},
            now);
      });
  if (moved.ok() || absl::IsAborted(moved)) return;
  LogError("reservation not followed",
           {{"reservation", booking.id}, {"error", moved.ToString()}});
}

bool Reservations::IsDue(const std::string& id, absl::Duration between) {
  const absl::Time now = parts_.clock->Now();
  absl::Time& next = next_try_[id];
  // A clock that was put back is no reason to wait.
  if (now < next && next - now <= between) return false;
  next = now + between;
  return true;
}

absl::StatusOr<NodeBooking> Reservations::ReadOrder(const Booking& booking) {
  NodeBooking order;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(order, OrderOf(db, booking));
    return absl::OkStatus();
  }));
  return order;
}

void Reservations::EndAgain(const Booking& booking) {
  if (!IsDue(booking.id, kBetweenTries)) return;
  const absl::Status answer = parts_.reserver->Unreserve(
      {booking.owner, booking.owner_uid}, SlurmNameOf(booking), kRequestId);
  LogInfo("reservation ended again", {{"reservation", SlurmNameOf(booking)},
                                      {"result", answer.ToString()}});
  if (booking.state != BookingState::kCancelling) return;
  SettleCancel(booking, answer, kRequestId).IgnoreError();
}

void Reservations::LetIn(const Booking& booking,
                         const SlurmReservation& slurm) {
  if (EndOf(booking.spec) <= parts_.clock->Now()) return;
  const absl::StatusOr<NodeBooking> order = ReadOrder(booking);
  if (!order.ok() || order->users == slurm.users ||
      !IsDue(booking.id, kBetweenTries)) {
    return;
  }
  // What was ended since Slurm was asked is not made again.
  const absl::Status answer = parts_.reserver->SetUsers(
      {booking.owner, booking.owner_uid}, *order, kRequestId);
  LogInfo("reservation is for others now",
          {{"reservation", SlurmNameOf(booking)},
           {"users", order->users.size()},
           {"result", answer.ToString()}});
}

}  // namespace carme::backend
