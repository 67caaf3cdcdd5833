#include "backend/maintenance/maintenance.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/maintenance/messages.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBetweenTries = absl::Seconds(30);
// After this time a reservation without a response counts as not created.
constexpr absl::Duration kSurelyNot = absl::Minutes(5);
constexpr char kRequestId[] = "maintenance";

// Whether both are served by the same reservation.
bool NeedSameReservation(const MaintenanceWindow& a,
                         const MaintenanceWindow& b) {
  const MaintenanceReservation left = ReservationFor(a, "");
  const MaintenanceReservation right = ReservationFor(b, "");
  return left.starts_at == right.starts_at && left.duration == right.duration &&
         left.partition == right.partition && left.nodes == right.nodes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Maintenance>> Maintenance::Open(
    const Parts& parts) {
  std::unique_ptr<Maintenance> self(new Maintenance(parts));
  std::optional<MaintenanceWindow> stored;
  RETURN_IF_ERROR(parts.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(stored, ReadMaintenance(db));
    return absl::OkStatus();
  }));
  self->Set(std::move(stored));
  return self;
}

std::optional<MaintenanceWindow> Maintenance::Current() const {
  const absl::MutexLock lock(&mutex_);
  if (current_ && HasEnded(*current_, parts_.clock->Now())) return std::nullopt;
  return current_;
}

std::optional<Violation> Maintenance::CheckSubmission(Role role) const {
  if (role == Role::kAdmin) return std::nullopt;
  const std::optional<MaintenanceWindow> current = Current();
  const absl::Time now = parts_.clock->Now();
  if (!current || !IsInEffect(*current, now)) return std::nullopt;
  return RefusalDuring(*current, now);
}

absl::StatusOr<MaintenanceWindow> Maintenance::Start(
    const PosixUser& administrator, const MaintenanceRequest& request,
    const std::string& request_id) {
  const absl::MutexLock changing(&changing_);
  const std::optional<MaintenanceWindow> before = Current();
  ASSIGN_OR_RETURN(MaintenanceWindow window,
                   CheckMaintenance(request, before, parts_.clock->Now()));
  window.started_by = administrator.name;
  if (request.reserve) {
    if (before && !before->reservation.empty() &&
        NeedSameReservation(*before, window)) {
      window.reservation = before->reservation;
    } else {
      ASSIGN_OR_RETURN(window.reservation,
                       Reserve(administrator, window, request_id));
    }
  }
  RETURN_IF_ERROR(parts_.database->Transact(
      [&](Database& db) { return WriteMaintenance(db, window); }));
  Set(window);
  LogInfo("maintenance set", {{"request", request_id},
                              {"user", administrator.name},
                              {"reservation", window.reservation}});
  DeleteUnused(request_id);
  return window;
}

absl::StatusOr<std::string> Maintenance::Reserve(
    const PosixUser& owner, const MaintenanceWindow& window,
    const std::string& request_id) {
  const RequestedReservation reservation{
      .name = absl::StrCat("carme-", NewJobId().value()),
      .owner = owner.name,
      .owner_uid = owner.uid,
      .requested_at = parts_.clock->Now()};
  RETURN_IF_ERROR(parts_.database->Transact([&](Database& db) {
    return InsertRequestedReservation(db, reservation);
  }));
  const absl::Status answer = parts_.reserver->ReserveForMaintenance(
      owner, ReservationFor(window, reservation.name), request_id);
  if (answer.ok()) return reservation.name;
  LogWarning("maintenance reservation not created",
             {{"request", request_id}, {"error", StatusText(answer)}});
  if (!IsPermanentRejection(answer.code())) {
    // Reconcile() deletes it in case Slurm has created it.
    return MakeError(maintenance_messages::kReservationNotConfirmed);
  }
  RETURN_IF_ERROR(parts_.database->Transact([&](Database& db) {
    return DeleteRequestedReservation(db, reservation.name);
  }));
  return ClientOperationError(answer);
}

absl::StatusOr<std::string> Maintenance::End(const std::string& request_id) {
  const absl::MutexLock changing(&changing_);
  return EndIt(request_id);
}

absl::StatusOr<std::string> Maintenance::EndIt(const std::string& request_id) {
  RETURN_IF_ERROR(parts_.database->Transact(
      [](Database& db) { return DeleteMaintenance(db); }));
  Set(std::nullopt);
  LogInfo("maintenance ended", {{"request", request_id}});
  return DeleteUnused(request_id);
}

std::string Maintenance::DeleteUnused(const std::string& request_id) {
  next_try_ = parts_.clock->Now() + kBetweenTries;
  std::vector<RequestedReservation> unused;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(unused, ReadUnusedReservations(db));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("maintenance reservations not read",
             {{"request", request_id}, {"error", StatusText(read)}});
  }
  std::string remaining;
  for (const RequestedReservation& reservation : unused) {
    const absl::Status answer =
        parts_.reserver->Unreserve({reservation.owner, reservation.owner_uid},
                                   reservation.name, request_id);
    if (!answer.ok()) {
      LogWarning("maintenance reservation not deleted, trying again",
                 {{"request", request_id},
                  {"reservation", reservation.name},
                  {"error", StatusText(answer)}});
      remaining = reservation.name;
      continue;
    }
    // Slurm may still create one without a response.
    if (parts_.clock->Now() < reservation.requested_at + kSurelyNot) continue;
    const absl::Status deleted = parts_.database->Transact([&](Database& db) {
      return DeleteRequestedReservation(db, reservation.name);
    });
    if (!deleted.ok()) {
      LogError("maintenance reservation not removed from the database",
               {{"request", request_id}, {"error", StatusText(deleted)}});
    }
  }
  return remaining;
}

void Maintenance::Reconcile() {
  const absl::MutexLock changing(&changing_);
  const absl::Time now = parts_.clock->Now();
  bool is_over = false;
  {
    const absl::MutexLock lock(&mutex_);
    is_over = current_ && HasEnded(*current_, now);
  }
  if (is_over) {
    const absl::Status ended = EndIt(kRequestId).status();
    if (!ended.ok()) {
      LogError("maintenance not ended", {{"error", StatusText(ended)}});
      return;
    }
    parts_.audit->Record({.act = "maintenance-end",
                          .actor = "carme-backend",
                          .decision = AuditDecision::kAllow,
                          .result = "ok"});
  }
  // Also if the clock was set back.
  if (now >= next_try_ || next_try_ - now > kBetweenTries) {
    DeleteUnused(kRequestId);
  }
}

void Maintenance::Set(std::optional<MaintenanceWindow> window) {
  const absl::MutexLock lock(&mutex_);
  current_ = std::move(window);
}

}  // namespace carme::backend
