// What becomes of bookings after they were asked for: Follow().
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/notifications/event.h"
#include "backend/reservations/booking_table.h"
#include "backend/reservations/reservations.h"
#include "backend/reservations/under_way.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

// After that a booking whose answer was lost counts as not made; one that Slurm
// makes later still is ended.
constexpr absl::Duration kSurelyNot = absl::Minutes(5);
// The watcher's word about reservations is not older than that when Slurm
// answers: it asks for them every few polls, of at most 10 s each.
constexpr absl::Duration kSettling = absl::Minutes(2);
constexpr absl::Duration kBetweenTries = absl::Seconds(30);
// For as long a late answer of Slurm's is still recognized.
constexpr absl::Duration kOverKept = absl::Hours(24);

constexpr char kRequestId[] = "reservations";

}  // namespace

void Reservations::Follow() {
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  // It says nothing about who is there and who is not.
  if (!seen->reachable || seen->asked_at == absl::InfinitePast()) return;
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
    if (act.alone()) FollowOne(booking, *seen);
  }
}

void Reservations::FollowOne(const Booking& booking,
                             const SlurmSnapshot& seen) {
  const std::string name = SlurmNameOf(booking);
  const auto slurm = std::find_if(
      seen.reservations.begin(), seen.reservations.end(),
      [&](const SlurmReservation& row) { return row.name == name; });
  const bool is_there = slurm != seen.reservations.end();
  const absl::Duration since = seen.asked_at - booking.changed_at;
  const bool settled = since > kSettling;
  switch (booking.state) {
    case BookingState::kBooking:
      if (is_there) return Move(booking, BookingState::kBooked, "");
      if (since <= kSurelyNot) return;
      return Move(booking, BookingState::kOver,
                  "could not be made: Slurm did not answer");
    case BookingState::kBooked:
      if (is_there) return LetIn(booking, *slurm);
      if (!settled) return;
      return Move(booking, BookingState::kOver,
                  EndOf(booking.spec) > parts_.clock->Now()
                      ? "was removed in Slurm"
                      : "");
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

bool Reservations::IsDue(const std::string& id) {
  const absl::Time now = parts_.clock->Now();
  absl::Time& next = next_try_[id];
  // A clock that was put back is no reason to wait.
  if (now < next && next - now <= kBetweenTries) return false;
  next = now + kBetweenTries;
  return true;
}

void Reservations::EndAgain(const Booking& booking) {
  if (!IsDue(booking.id)) return;
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
  NodeBooking order;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(order, OrderOf(db, booking));
        return absl::OkStatus();
      });
  if (!read.ok() || order.users == slurm.users || !IsDue(booking.id)) return;
  const absl::Status answer = parts_.reserver->Reserve(
      {booking.owner, booking.owner_uid}, order, kRequestId);
  LogInfo("reservation is for others now",
          {{"reservation", SlurmNameOf(booking)},
           {"users", order.users.size()},
           {"result", answer.ToString()}});
}

}  // namespace carme
