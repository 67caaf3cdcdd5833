#include "backend/reservations/reservations.h"

#include <algorithm>
#include <utility>

#include "backend/notifications/event.h"
#include "backend/policy/cluster/reservation.h"
#include "backend/projects/project_table.h"
#include "backend/reservations/in_flight.h"
#include "backend/reservations/messages.h"
#include "backend/reservations/reservation_table.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The maximum delay between a requested start "now" and the reservation.
constexpr absl::Duration kMaxDelay = absl::Minutes(2);

absl::Status NoBooking() { return MakeError(reservation_messages::kNotFound); }

PosixUser OwnerOf(const Reservation& reservation) {
  return {reservation.owner, reservation.owner_uid};
}

const SlurmReservation* Find(const SlurmSnapshot& seen,
                             const std::string& name) {
  for (const SlurmReservation& reservation : seen.reservations) {
    if (reservation.name == name) return &reservation;
  }
  return nullptr;
}

// Checks that an idempotency key is used again for the same request. A start
// "now" was moved to the moment of the reservation.
absl::Status CheckSameRequest(const Reservation& before,
                              const ReservationSpec& spec) {
  const ReservationSpec& kept = before.spec;
  const bool began_at_once = kept.starts_at <= before.changed_at + kMaxDelay;
  const bool same_start =
      spec.starts_at <= kept.starts_at + kMaxDelay &&
      (began_at_once || spec.starts_at >= kept.starts_at - kMaxDelay);
  const bool same =
      kept.nodes == spec.nodes && kept.duration == spec.duration &&
      kept.project == spec.project &&
      (spec.partition.empty() || kept.partition == spec.partition) &&
      same_start;
  if (same) return absl::OkStatus();
  return MakeError(reservation_messages::kKeyUsed);
}

}  // namespace

absl::StatusOr<Reservations::ProjectAccess> Reservations::ProjectAccessOf(
    Database& db, const std::string& project, Uid uid) const {
  ProjectAccess access;
  if (project.empty()) return access;
  const absl::StatusOr<ProjectRow> row =
      ReadProject(db, ProjectId(project), uid);
  if (absl::IsNotFound(row.status())) return access;
  RETURN_IF_ERROR(row.status());
  access.project_role = row->project_role;
  access.is_active =
      StateAt(row->project, parts_.clock->Now()) == v1::PROJECT_STATE_ACTIVE;
  ASSIGN_OR_RETURN(const std::vector<ProjectMember> members,
                   ReadMembers(db, ProjectId(project)));
  for (const ProjectMember& member : members) {
    if (IsMember(member.project_role))
      access.members.push_back(member.username);
  }
  return access;
}

absl::StatusOr<ReservationDecision> Reservations::Judge(
    Database& db, const Person& person, const ReservationSpec& spec,
    ProjectAccess* access) const {
  ASSIGN_OR_RETURN(*access, ProjectAccessOf(db, spec.project, person.uid));
  ASSIGN_OR_RETURN(const int reservations, CountReservations(db, person.uid));
  ASSIGN_OR_RETURN(const int of_project, CountReservations(db, spec.project));
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  // Only members may see the number of a project's members.
  const int members = IsMember(access->project_role)
                          ? static_cast<int>(access->members.size())
                          : 0;
  return CheckReservation({.spec = spec,
                           .role = person.role,
                           .is_member = IsMember(access->project_role),
                           .manages = Manages(access->project_role),
                           .is_active = access->is_active,
                           .users = std::max(1, members),
                           .reservations_now = reservations,
                           .project_reservations_now =
                               IsMember(access->project_role) ? of_project : 0,
                           .config = &config_,
                           .cluster = cluster.get(),
                           .now = parts_.clock->Now()});
}

absl::StatusOr<ReservationRequest> Reservations::OrderOf(
    Database& db, const Reservation& reservation) const {
  ReservationRequest order{.name = SlurmNameOf(reservation),
                           .partition = reservation.spec.partition,
                           .nodes = reservation.spec.nodes,
                           .starts_at = reservation.spec.starts_at,
                           .duration = reservation.spec.duration,
                           .users = {reservation.owner}};
  ASSIGN_OR_RETURN(
      const ProjectAccess access,
      ProjectAccessOf(db, reservation.spec.project, reservation.owner_uid));
  for (const std::string& member : access.members) {
    if (order.users.size() >= kMaxReservationUsers) break;
    if (member != reservation.owner) order.users.push_back(member);
  }
  return order;
}

absl::StatusOr<ReservationDecision> Reservations::Preview(
    const Person& person, const ReservationSpec& spec) {
  ReservationDecision decision;
  const auto judge = [&](Database& db) -> absl::Status {
    ProjectAccess access;
    ASSIGN_OR_RETURN(decision, Judge(db, person, spec, &access));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(parts_.database->Query(judge));
  if (decision.rests_on_resources &&
      parts_.scheduler->RefreshResources(kRefreshTimeout)) {
    RETURN_IF_ERROR(parts_.database->Query(judge));
  }
  if (parts_.scheduler->Snapshot()->reservations_hidden) {
    decision.conflicts.clear();  // they name reservations of others
  }
  return decision;
}

absl::StatusOr<ReservationView> Reservations::Create(
    const Person& person, const ReservationSpec& spec, const std::string& key,
    const std::string& request_id) {
  Reservation reservation{.id = NewJobId().value(),
                          .owner = person.username,
                          .owner_uid = person.uid};
  const InFlight act(this, reservation.id);
  ReservationRequest order;
  bool fresh = true;
  absl::Status refused;
  bool rests_on_resources = false;
  const auto record = [&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<Reservation> before,
                     FindReservation(db, person.uid, key));
    if (before) {
      refused = CheckSameRequest(*before, spec);
      reservation = *before;
      fresh = false;
      return refused;
    }
    ProjectAccess access;
    ASSIGN_OR_RETURN(const ReservationDecision decision,
                     Judge(db, person, spec, &access));
    refused = StatusOf(decision.violations);
    rests_on_resources = decision.rests_on_resources;
    RETURN_IF_ERROR(refused);
    reservation.spec = decision.spec;
    reservation.changed_at = parts_.clock->Now();
    // A start "now" is past when the request arrives.
    reservation.spec.starts_at = std::max(
        reservation.spec.starts_at,
        absl::FromUnixSeconds(absl::ToUnixSeconds(reservation.changed_at)));
    ASSIGN_OR_RETURN(order, OrderOf(db, reservation));
    return InsertReservation(db, reservation, key);
  };
  absl::Status recorded = parts_.database->Transact(record);
  if (!refused.ok() && rests_on_resources &&
      parts_.scheduler->RefreshResources(kRefreshTimeout)) {
    recorded = parts_.database->Transact(record);
  }
  RETURN_IF_ERROR(recorded);
  if (fresh) {
    const absl::Status answer =
        parts_.reserver->Reserve(OwnerOf(reservation), order, request_id);
    RETURN_IF_ERROR(CompleteCreate(reservation, answer, request_id));
    if (answer.ok()) reservation.state = v1::RESERVATION_STATE_CONFIRMED;
    RefreshAfter(answer);
  }
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  // The owner sees all of it.
  return ViewOf(person, v1::PROJECT_ROLE_UNSPECIFIED,
                Find(*seen, SlurmNameOf(reservation)), &reservation);
}

// The caller's next request must see this change.
void Reservations::RefreshAfter(const absl::Status& answer) {
  if (answer.ok()) {
    parts_.scheduler->RefreshResources(kRefreshTimeout);
  } else {
    parts_.scheduler->RefreshResourcesSoon();
  }
}

absl::Status Reservations::CompleteCreate(const Reservation& reservation,
                                          const absl::Status& answer,
                                          const std::string& request_id) {
  LogInfo("reservation created", {{"request", request_id},
                                  {"user", reservation.owner},
                                  {"reservation", SlurmNameOf(reservation)},
                                  {"result", StatusText(answer)}});
  const bool refused = IsPermanentRejection(answer.code());
  if (!answer.ok() && !refused) return absl::OkStatus();
  const absl::Status written =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        if (refused) return DeleteReservation(db, reservation.id);
        return UpdateReservationState(
            db, reservation.id, v1::RESERVATION_STATE_CREATING,
            v1::RESERVATION_STATE_CONFIRMED, parts_.clock->Now());
      });
  // Reconcile() completes it from Slurm's state.
  if (!written.ok()) {
    LogWarning("reservation state not recorded",
               {{"request", request_id}, {"error", StatusText(written)}});
  }
  return refused ? ClientOperationError(answer) : absl::OkStatus();
}

absl::StatusOr<Reservation> Reservations::Cancel(
    const Person& person, const std::string& id,
    const std::string& request_id) {
  const InFlight act(this, id);
  Reservation reservation;
  const absl::Status marked =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(const std::optional<Reservation> found,
                         FindReservation(db, id));
        if (!found || found->state == v1::RESERVATION_STATE_ENDED)
          return NoBooking();
        reservation = *found;
        ASSIGN_OR_RETURN(
            const ProjectAccess access,
            ProjectAccessOf(db, reservation.spec.project, person.uid));
        const ReservationView view =
            ViewOf(person, access.project_role, nullptr, &reservation);
        if (!view.may_cancel) {
          return view.reservation
                     ? MakeError(reservation_messages::kNotAllowedToCancel)
                     : NoBooking();
        }
        if (reservation.state == v1::RESERVATION_STATE_CREATING) {
          return MakeError(reservation_messages::kNotConfirmed);
        }
        if (reservation.state == v1::RESERVATION_STATE_CANCELLING)
          return absl::OkStatus();
        RETURN_IF_ERROR(UpdateReservationState(
            db, id, v1::RESERVATION_STATE_CONFIRMED,
            v1::RESERVATION_STATE_CANCELLING, parts_.clock->Now()));
        reservation.state = v1::RESERVATION_STATE_CANCELLING;
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(marked);
  const absl::Status answer = parts_.reserver->Unreserve(
      OwnerOf(reservation), SlurmNameOf(reservation), request_id);
  RETURN_IF_ERROR(CompleteCancel(reservation, answer, request_id));
  if (answer.ok()) reservation.state = v1::RESERVATION_STATE_ENDED;
  RefreshAfter(answer);
  return reservation;
}

absl::Status Reservations::CompleteCancel(const Reservation& reservation,
                                          const absl::Status& answer,
                                          const std::string& request_id) {
  LogInfo("reservation cancelled", {{"request", request_id},
                                    {"user", reservation.owner},
                                    {"reservation", SlurmNameOf(reservation)},
                                    {"result", StatusText(answer)}});
  // A refused cancellation may succeed later; the reservation stays confirmed.
  const bool refused = absl::IsFailedPrecondition(answer) ||
                       absl::IsPermissionDenied(answer) ||
                       absl::IsResourceExhausted(answer);
  if (!answer.ok() && !refused) return absl::OkStatus();
  const absl::Status written =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        return UpdateReservationState(db, reservation.id,
                                      v1::RESERVATION_STATE_CANCELLING,
                                      refused ? v1::RESERVATION_STATE_CONFIRMED
                                              : v1::RESERVATION_STATE_ENDED,
                                      parts_.clock->Now());
      });
  if (!written.ok()) {
    LogWarning("reservation state not recorded",
               {{"request", request_id}, {"error", StatusText(written)}});
  }
  return refused ? ClientOperationError(answer) : absl::OkStatus();
}

ReservationView Reservations::ViewOf(const Person& person,
                                     ProjectRole project_role,
                                     const SlurmReservation* slurm,
                                     const Reservation* reservation) {
  ReservationView view;
  if (slurm != nullptr) {
    view.name = slurm->name;
    view.starts_at = slurm->starts_at;
    view.ends_at = slurm->ends_at;
    view.nodes = static_cast<int>(slurm->nodes.size());
    view.node_names = slurm->nodes;
    view.partition = slurm->partition;
    view.for_maintenance = slurm->for_maintenance;
    view.usable = MayUse(*slurm, person.username);
  }
  if (reservation == nullptr) return view;
  if (slurm == nullptr) {
    view.name = SlurmNameOf(*reservation);
    view.starts_at = reservation->spec.starts_at;
    view.ends_at = EndOf(reservation->spec);
    view.nodes = reservation->spec.nodes;
    view.partition = reservation->spec.partition;
  }
  // A uid may be reassigned.
  view.mine = reservation->owner_uid == person.uid &&
              reservation->owner == person.username;
  view.may_cancel =
      view.mine || Manages(project_role) || person.role == Role::kAdmin;
  const bool concerned = view.may_cancel || view.usable ||
                         IsMember(project_role) || ReadsEverything(person.role);
  if (concerned) view.reservation = *reservation;
  if (slurm != nullptr && (view.may_cancel || ReadsEverything(person.role))) {
    view.users = slurm->users;
  }
  return view;
}

absl::StatusOr<Reservations::Listing> Reservations::List(const Person& person) {
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  Listing listing;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                     ReadProjects(db, person.uid, /*all=*/false));
    std::map<std::string, ProjectRole> project_roles;
    for (const ProjectRow& row : rows) {
      const std::string& id = row.project.id.value();
      project_roles[id] = row.project_role;
      const bool runs =
          StateAt(row.project, parts_.clock->Now()) == v1::PROJECT_STATE_ACTIVE;
      if (runs && Manages(row.project_role) &&
          MayReserveAtAll(config_, person.role, true)) {
        listing.projects.push_back(id);
      }
    }
    ASSIGN_OR_RETURN(const std::vector<Reservation> reservations,
                     ReadReservations(db));
    std::set<std::string> named;
    for (const Reservation& reservation : reservations) {
      named.insert(SlurmNameOf(reservation));
      // The poll may be older than the end.
      if (reservation.state == v1::RESERVATION_STATE_ENDED) continue;
      const SlurmReservation* slurm = Find(*seen, SlurmNameOf(reservation));
      const auto role = project_roles.find(reservation.spec.project);
      ReservationView view =
          ViewOf(person,
                 role != project_roles.end() ? role->second
                                             : v1::PROJECT_ROLE_UNSPECIFIED,
                 slurm, &reservation);
      // A reservation that Slurm does not have, or hides from users, is shown
      // only to the users that it concerns.
      const bool hidden = slurm == nullptr || seen->reservations_hidden;
      if (hidden && !view.reservation) continue;
      listing.reservations.push_back(std::move(view));
    }
    for (const SlurmReservation& slurm : seen->reservations) {
      if (named.contains(slurm.name)) continue;
      ReservationView view =
          ViewOf(person, v1::PROJECT_ROLE_UNSPECIFIED, &slurm, nullptr);
      if (seen->reservations_hidden && !view.usable &&
          !ReadsEverything(person.role)) {
        continue;
      }
      listing.reservations.push_back(std::move(view));
    }
    return absl::OkStatus();
  }));
  std::sort(listing.reservations.begin(), listing.reservations.end(),
            [](const ReservationView& a, const ReservationView& b) {
              return std::tie(a.starts_at, a.name) <
                     std::tie(b.starts_at, b.name);
            });
  listing.may_reserve_alone = MayReserveAtAll(config_, person.role, false);
  listing.may_reserve = listing.may_reserve_alone || !listing.projects.empty();
  return listing;
}

}  // namespace carme::backend
