// The state of reservations after their request: Reconcile().
//
//   CREATING, Slurm accepts, or has it after a lost response: CONFIRMED
//   CREATING, Slurm refuses: deleted; the owner gets Slurm's message
//   CREATING, no response, missing for five minutes: ENDED, owner notified;
//     cancelled if it appears later
//   CONFIRMED, users differ from the members of the project: users are updated
//   CONFIRMED, project closed or expired: CANCELLING, owner notified
//   CONFIRMED, missing for two minutes: ENDED, owner notified unless its time
//     was over
//   CANCELLING, still exists: retried every 30 s
//   CANCELLING, Slurm refuses because jobs run in it: CONFIRMED; the user gets
//     Slurm's message
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/notifications/event.h"
#include "backend/reservations/in_flight.h"
#include "backend/reservations/messages.h"
#include "backend/reservations/reservation_table.h"
#include "backend/reservations/reservations.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// After this time a reservation without a response counts as not created. If
// Slurm creates it later, it is deleted.
constexpr absl::Duration kSurelyNot = absl::Minutes(5);
// How long a controller that took over may need until it lists all
// reservations.
constexpr absl::Duration kSettling = absl::Minutes(2);
// How often Slurm is queried about a reservation that the poll does not show.
constexpr absl::Duration kBetweenPolls = absl::Minutes(5);
constexpr absl::Duration kBetweenTries = absl::Seconds(30);
// How long a late response of Slurm is still recognized.
constexpr absl::Duration kEndedRetention = absl::Hours(24);

constexpr char kRequestId[] = "reservations";

}  // namespace

void Reservations::Reconcile() {
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  // Such a snapshot does not show which reservations exist.
  if (!seen->reachable || seen->reservations_asked_at == absl::InfinitePast()) {
    return;
  }
  std::vector<Reservation> reservations;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(reservations, ReadReservations(db));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("reservations not reconciled", {{"error", StatusText(read)}});
    return;
  }
  for (const Reservation& reservation : reservations) {
    const InFlight act(this, reservation.id);
    if (!act.is_only()) continue;
    // The reservation may have changed since the list was read.
    if (const std::optional<Reservation> now = Reload(reservation.id)) {
      ReconcileOne(*now, *seen);
    }
  }
}

std::optional<Reservation> Reservations::Reload(const std::string& id) {
  std::optional<Reservation> reservation;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(reservation, FindReservation(db, id));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("reservation not reconciled", {{"error", StatusText(read)}});
  }
  return reservation;
}

void Reservations::ReconcileOne(const Reservation& reservation,
                                const SlurmSnapshot& seen) {
  const std::string name = SlurmNameOf(reservation);
  const auto slurm = std::find_if(
      seen.reservations.begin(), seen.reservations.end(),
      [&](const SlurmReservation& row) { return row.name == name; });
  const bool is_there = slurm != seen.reservations.end();
  const absl::Duration since =
      seen.reservations_asked_at - reservation.changed_at;
  const bool settled = since > kSettling;
  if (reservation.state == v1::RESERVATION_STATE_CONFIRMED &&
      ProjectHasEnded(reservation)) {
    return EndWithProject(reservation);
  }
  if (!is_there && seen.reservations_hidden &&
      reservation.state != v1::RESERVATION_STATE_ENDED) {
    return ReconcileHidden(reservation, since);
  }
  switch (reservation.state) {
    case v1::RESERVATION_STATE_CREATING:
      if (is_there)
        return SetState(reservation, v1::RESERVATION_STATE_CONFIRMED, nullptr);
      if (since <= kSurelyNot) return;
      return SetState(reservation, v1::RESERVATION_STATE_ENDED,
                      EndNotice(reservation));
    case v1::RESERVATION_STATE_CONFIRMED:
      if (is_there) return UpdateUsers(reservation, *slurm);
      if (!settled) return;
      return SetState(reservation, v1::RESERVATION_STATE_ENDED,
                      EndNotice(reservation));
    case v1::RESERVATION_STATE_CANCELLING:
      if (is_there) return RetryCancel(reservation);
      if (settled) SetState(reservation, v1::RESERVATION_STATE_ENDED, nullptr);
      return;
    case v1::RESERVATION_STATE_ENDED:
      if (is_there && settled) return RetryCancel(reservation);
      if (EndOf(reservation.spec) + kEndedRetention > parts_.clock->Now())
        return;
      if (since <= kEndedRetention) return;
      break;
    default:
      return;
  }
  next_try_.erase(reservation.id);
  const absl::Status gone = parts_.database->Transact(
      [&](Database& db) { return DeleteReservation(db, reservation.id); });
  if (!gone.ok()) {
    LogError("reservation not deleted", {{"error", StatusText(gone)}});
  }
}

bool Reservations::ProjectHasEnded(const Reservation& reservation) {
  if (reservation.spec.project.empty()) return false;
  if (EndOf(reservation.spec) <= parts_.clock->Now()) return false;
  bool is_active = true;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(const ProjectAccess access,
                         ProjectAccessOf(db, reservation.spec.project,
                                         reservation.owner_uid));
        is_active = access.is_active;
        return absl::OkStatus();
      });
  return read.ok() && !is_active;
}

// Deletes the reservation. Slurm refuses while jobs run in it, so this is
// retried until the jobs or the reservation have ended.
void Reservations::EndWithProject(const Reservation& reservation) {
  if (!IsDue(reservation.id, kBetweenTries)) return;
  SetState(reservation, v1::RESERVATION_STATE_CANCELLING,
           &reservation_messages::kProjectEnded);
}

const TextTemplate* Reservations::EndNotice(
    const Reservation& reservation) const {
  if (reservation.state == v1::RESERVATION_STATE_CREATING) {
    return &reservation_messages::kNotCreated;
  }
  return EndOf(reservation.spec) > parts_.clock->Now()
             ? &reservation_messages::kRemovedInSlurm
             : nullptr;
}

// A hidden reservation is missing in the poll although it exists: only the
// response to an operation as SlurmUser shows whether it is gone.
void Reservations::ReconcileHidden(const Reservation& reservation,
                                   absl::Duration since) {
  if (reservation.state == v1::RESERVATION_STATE_CANCELLING)
    return RetryCancel(reservation);
  const bool is_new = reservation.state == v1::RESERVATION_STATE_CREATING;
  if (is_new && since <= kSurelyNot) return;
  if (EndOf(reservation.spec) <= parts_.clock->Now()) {
    return SetState(reservation, v1::RESERVATION_STATE_ENDED,
                    EndNotice(reservation));
  }
  const absl::StatusOr<ReservationRequest> order = ReadOrder(reservation);
  if (!order.ok() || !IsDue(reservation.id, kBetweenPolls)) return;
  const absl::Status answer = parts_.reserver->SetUsers(
      {reservation.owner, reservation.owner_uid}, *order, kRequestId);
  if (answer.ok() && is_new)
    SetState(reservation, v1::RESERVATION_STATE_CONFIRMED, nullptr);
  if (absl::IsNotFound(answer)) {
    SetState(reservation, v1::RESERVATION_STATE_ENDED, EndNotice(reservation));
  }
}

void Reservations::SetState(const Reservation& reservation, ReservationState to,
                            const TextTemplate* notice) {
  const absl::Time now = parts_.clock->Now();
  const absl::Status moved =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        RETURN_IF_ERROR(UpdateReservationState(db, reservation.id,
                                               reservation.state, to, now));
        if (notice == nullptr) return absl::OkStatus();
        return PostEvent(
            db,
            {.uid = reservation.owner_uid,
             .kind = v1::NOTIFICATION_KIND_RESERVATION,
             .subject = reservation.id,
             .text = MakeText(*notice, {{"title", reservation.spec.title}}),
             .key = absl::StrCat("reservation-", reservation.id, "-",
                                 static_cast<int>(to))},
            now);
      });
  if (moved.ok() || absl::IsAborted(moved)) return;
  LogError("reservation state not recorded",
           {{"reservation", reservation.id}, {"error", StatusText(moved)}});
}

bool Reservations::IsDue(const std::string& id, absl::Duration between) {
  const absl::Time now = parts_.clock->Now();
  absl::Time& next = next_try_[id];
  // A clock that was set back must not delay retries.
  if (now < next && next - now <= between) return false;
  next = now + between;
  return true;
}

absl::StatusOr<ReservationRequest> Reservations::ReadOrder(
    const Reservation& reservation) {
  ReservationRequest order;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(order, OrderOf(db, reservation));
    return absl::OkStatus();
  }));
  return order;
}

void Reservations::RetryCancel(const Reservation& reservation) {
  if (!IsDue(reservation.id, kBetweenTries)) return;
  const absl::Status answer =
      parts_.reserver->Unreserve({reservation.owner, reservation.owner_uid},
                                 SlurmNameOf(reservation), kRequestId);
  LogInfo("reservation cancelled again",
          {{"reservation", SlurmNameOf(reservation)},
           {"result", StatusText(answer)}});
  if (reservation.state != v1::RESERVATION_STATE_CANCELLING) return;
  CompleteCancel(reservation, answer, kRequestId).IgnoreError();
}

void Reservations::UpdateUsers(const Reservation& reservation,
                               const SlurmReservation& slurm) {
  if (EndOf(reservation.spec) <= parts_.clock->Now()) return;
  const absl::StatusOr<ReservationRequest> order = ReadOrder(reservation);
  if (!order.ok() || order->users == slurm.users ||
      !IsDue(reservation.id, kBetweenTries)) {
    return;
  }
  // SetUsers does not create a reservation that was deleted meanwhile.
  const absl::Status answer = parts_.reserver->SetUsers(
      {reservation.owner, reservation.owner_uid}, *order, kRequestId);
  LogInfo("reservation users updated",
          {{"reservation", SlurmNameOf(reservation)},
           {"users", order->users.size()},
           {"result", StatusText(answer)}});
}

}  // namespace carme::backend
