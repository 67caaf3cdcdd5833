#include "backend/reservations/reservations.h"

#include <algorithm>
#include <utility>

#include "backend/notifications/event.h"
#include "backend/policy/reservation.h"
#include "backend/projects/project_table.h"
#include "backend/reservations/booking_table.h"
#include "backend/reservations/under_way.h"
#include "backend/slurm/act_error.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Between a start that was asked for as "now" and the booking.
constexpr absl::Duration kMostDelay = absl::Minutes(2);

absl::Status NoBooking() {
  return absl::NotFoundError("there is no such reservation");
}

PosixUser OwnerOf(const Booking& booking) {
  return {booking.owner, booking.owner_uid};
}

const SlurmReservation* Find(const SlurmSnapshot& seen,
                             const std::string& name) {
  for (const SlurmReservation& reservation : seen.reservations) {
    if (reservation.name == name) return &reservation;
  }
  return nullptr;
}

// Whether an idempotency key is used again for what it was used for. A start
// "now" was moved to the moment of the booking.
absl::Status CheckSameRequest(const Booking& before, const BookingSpec& spec) {
  const BookingSpec& kept = before.spec;
  const bool began_at_once = kept.starts_at <= before.changed_at + kMostDelay;
  const bool same_start =
      spec.starts_at <= kept.starts_at + kMostDelay &&
      (began_at_once || spec.starts_at >= kept.starts_at - kMostDelay);
  const bool same =
      kept.nodes == spec.nodes && kept.duration == spec.duration &&
      kept.project == spec.project &&
      (spec.partition.empty() || kept.partition == spec.partition) &&
      same_start;
  if (same) return absl::OkStatus();
  return absl::AlreadyExistsError(
      "the idempotency key was used for another booking: expected a new key");
}

}  // namespace

absl::StatusOr<Reservations::Standing> Reservations::StandingIn(
    Database& db, const std::string& project, Uid uid) const {
  Standing standing;
  if (project.empty()) return standing;
  const absl::StatusOr<ProjectRow> row =
      ReadProject(db, ProjectId(project), uid);
  if (absl::IsNotFound(row.status())) return standing;
  RETURN_IF_ERROR(row.status());
  standing.place = row->place;
  standing.is_active =
      StateAt(row->project, parts_.clock->Now()) == ProjectState::kActive;
  ASSIGN_OR_RETURN(const std::vector<ProjectMember> members,
                   ReadMembers(db, ProjectId(project)));
  for (const ProjectMember& member : members) {
    if (IsMember(member.place)) standing.members.push_back(member.username);
  }
  return standing;
}

absl::StatusOr<BookingDecision> Reservations::Judge(Database& db,
                                                    const Person& person,
                                                    const BookingSpec& spec,
                                                    Standing* standing) const {
  ASSIGN_OR_RETURN(*standing, StandingIn(db, spec.project, person.uid));
  ASSIGN_OR_RETURN(const int bookings, CountBookings(db, person.uid));
  ASSIGN_OR_RETURN(const int of_project, CountBookings(db, spec.project));
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  // How many a project has is for its members to know.
  const int members = IsMember(standing->place)
                          ? static_cast<int>(standing->members.size())
                          : 0;
  return CheckBooking(
      {.spec = spec,
       .role = person.role,
       .is_member = IsMember(standing->place),
       .manages = Manages(standing->place),
       .is_active = standing->is_active,
       .users = std::max(1, members),
       .bookings_now = bookings,
       .project_bookings_now = IsMember(standing->place) ? of_project : 0,
       .config = &config_,
       .cluster = cluster.get(),
       .now = parts_.clock->Now()});
}

absl::StatusOr<NodeBooking> Reservations::OrderOf(
    Database& db, const Booking& booking) const {
  NodeBooking order{.name = SlurmNameOf(booking),
                    .partition = booking.spec.partition,
                    .nodes = booking.spec.nodes,
                    .starts_at = booking.spec.starts_at,
                    .duration = booking.spec.duration,
                    .users = {booking.owner}};
  ASSIGN_OR_RETURN(const Standing standing,
                   StandingIn(db, booking.spec.project, booking.owner_uid));
  for (const std::string& member : standing.members) {
    if (order.users.size() >= kMostReservationUsers) break;
    if (member != booking.owner) order.users.push_back(member);
  }
  return order;
}

absl::StatusOr<BookingDecision> Reservations::Preview(const Person& person,
                                                      const BookingSpec& spec) {
  BookingDecision decision;
  const auto judge = [&](Database& db) -> absl::Status {
    Standing standing;
    ASSIGN_OR_RETURN(decision, Judge(db, person, spec, &standing));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(parts_.database->Query(judge));
  if (decision.rests_on_resources &&
      parts_.scheduler->RefreshResources(kRefreshPatience)) {
    RETURN_IF_ERROR(parts_.database->Query(judge));
  }
  if (parts_.scheduler->Snapshot()->reservations_hidden) {
    decision.conflicts.clear();  // names of others'
  }
  return decision;
}

absl::StatusOr<ReservationView> Reservations::Book(
    const Person& person, const BookingSpec& spec, const std::string& key,
    const std::string& request_id) {
  Booking booking{.id = NewJobId().value(),
                  .owner = person.username,
                  .owner_uid = person.uid};
  const UnderWay act(this, booking.id);
  NodeBooking order;
  bool fresh = true;
  absl::Status refused;
  bool rests_on_resources = false;
  const auto record = [&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<Booking> before,
                     FindBooking(db, person.uid, key));
    if (before) {
      refused = CheckSameRequest(*before, spec);
      booking = *before;
      fresh = false;
      return refused;
    }
    Standing standing;
    ASSIGN_OR_RETURN(const BookingDecision decision,
                     Judge(db, person, spec, &standing));
    refused = StatusOf(decision.violations);
    rests_on_resources = decision.rests_on_resources;
    RETURN_IF_ERROR(refused);
    booking.spec = decision.spec;
    booking.changed_at = parts_.clock->Now();
    // "Now" took a moment to be said.
    booking.spec.starts_at = std::max(
        booking.spec.starts_at,
        absl::FromUnixSeconds(absl::ToUnixSeconds(booking.changed_at)));
    ASSIGN_OR_RETURN(order, OrderOf(db, booking));
    return InsertBooking(db, booking, key);
  };
  absl::Status recorded = parts_.database->Transact(record);
  if (!refused.ok() && rests_on_resources &&
      parts_.scheduler->RefreshResources(kRefreshPatience)) {
    recorded = parts_.database->Transact(record);
  }
  RETURN_IF_ERROR(recorded);
  if (fresh) {
    const absl::Status answer =
        parts_.reserver->Reserve(OwnerOf(booking), order, request_id);
    RETURN_IF_ERROR(Settle(booking, answer, request_id));
    if (answer.ok()) booking.state = BookingState::kBooked;
    RefreshAfter(answer);
  }
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  // Whoever booked it sees all of it.
  return ViewOf(person, Place::kNone, Find(*seen, SlurmNameOf(booking)),
                &booking);
}

// The caller's next request goes by what this one has changed.
void Reservations::RefreshAfter(const absl::Status& answer) {
  if (answer.ok()) {
    parts_.scheduler->RefreshResources(kRefreshPatience);
  } else {
    parts_.scheduler->HurryResources();
  }
}

absl::Status Reservations::Settle(const Booking& booking,
                                  const absl::Status& answer,
                                  const std::string& request_id) {
  LogInfo("reservation booked", {{"request", request_id},
                                 {"user", booking.owner},
                                 {"reservation", SlurmNameOf(booking)},
                                 {"result", answer.ToString()}});
  const bool refused = IsDefiniteNo(answer.code());
  if (!answer.ok() && !refused) return absl::OkStatus();
  const absl::Status written =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        if (refused) return DeleteBooking(db, booking.id);
        return MoveBooking(db, booking.id, BookingState::kBooking,
                           BookingState::kBooked, parts_.clock->Now());
      });
  // Follow() finds out by what Slurm has.
  if (!written.ok()) {
    LogWarning("reservation not settled",
               {{"request", request_id}, {"error", written.ToString()}});
  }
  return refused ? ShownActError(answer) : absl::OkStatus();
}

absl::StatusOr<Booking> Reservations::Cancel(const Person& person,
                                             const std::string& id,
                                             const std::string& request_id) {
  const UnderWay act(this, id);
  Booking booking;
  const absl::Status marked = parts_.database->Transact([&](Database& db)
                                                            -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<Booking> found, FindBooking(db, id));
    if (!found || found->state == BookingState::kOver) return NoBooking();
    booking = *found;
    ASSIGN_OR_RETURN(const Standing standing,
                     StandingIn(db, booking.spec.project, person.uid));
    const ReservationView view =
        ViewOf(person, standing.place, nullptr, &booking);
    if (!view.may_cancel) {
      return view.booking
                 ? absl::PermissionDeniedError(
                       "this reservation is not yours: expected its owner, a "
                       "manager of its project or an administrator")
                 : NoBooking();
    }
    if (booking.state == BookingState::kBooking) {
      return absl::FailedPreconditionError(
          "Slurm has not answered yet: try again in some minutes");
    }
    if (booking.state == BookingState::kCancelling) return absl::OkStatus();
    RETURN_IF_ERROR(MoveBooking(db, id, BookingState::kBooked,
                                BookingState::kCancelling,
                                parts_.clock->Now()));
    booking.state = BookingState::kCancelling;
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(marked);
  const absl::Status answer = parts_.reserver->Unreserve(
      OwnerOf(booking), SlurmNameOf(booking), request_id);
  RETURN_IF_ERROR(SettleCancel(booking, answer, request_id));
  if (answer.ok()) booking.state = BookingState::kOver;
  RefreshAfter(answer);
  return booking;
}

absl::Status Reservations::SettleCancel(const Booking& booking,
                                        const absl::Status& answer,
                                        const std::string& request_id) {
  LogInfo("reservation cancelled", {{"request", request_id},
                                    {"user", booking.owner},
                                    {"reservation", SlurmNameOf(booking)},
                                    {"result", answer.ToString()}});
  // What is refused now may be possible later; it is not cancelled meanwhile.
  const bool refused = absl::IsFailedPrecondition(answer) ||
                       absl::IsPermissionDenied(answer) ||
                       absl::IsResourceExhausted(answer);
  if (!answer.ok() && !refused) return absl::OkStatus();
  const absl::Status written =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        return MoveBooking(
            db, booking.id, BookingState::kCancelling,
            refused ? BookingState::kBooked : BookingState::kOver,
            parts_.clock->Now());
      });
  if (!written.ok()) {
    LogWarning("reservation not settled",
               {{"request", request_id}, {"error", written.ToString()}});
  }
  return refused ? ShownActError(answer) : absl::OkStatus();
}

ReservationView Reservations::ViewOf(const Person& person, Place place,
                                     const SlurmReservation* slurm,
                                     const Booking* booking) {
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
  if (booking == nullptr) return view;
  if (slurm == nullptr) {
    view.name = SlurmNameOf(*booking);
    view.starts_at = booking->spec.starts_at;
    view.ends_at = EndOf(booking->spec);
    view.nodes = booking->spec.nodes;
    view.partition = booking->spec.partition;
  }
  // A uid may be somebody else's later.
  view.mine =
      booking->owner_uid == person.uid && booking->owner == person.username;
  view.may_cancel = view.mine || Manages(place) || person.role == Role::kAdmin;
  const bool concerned = view.may_cancel || view.usable || IsMember(place) ||
                         ReadsEverything(person.role);
  if (concerned) view.booking = *booking;
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
    std::map<std::string, Place> places;
    for (const ProjectRow& row : rows) {
      const std::string& id = row.project.id.value();
      places[id] = row.place;
      const bool runs =
          StateAt(row.project, parts_.clock->Now()) == ProjectState::kActive;
      if (runs && Manages(row.place) &&
          MayBookAtAll(config_, person.role, true)) {
        listing.projects.push_back(id);
      }
    }
    ASSIGN_OR_RETURN(const std::vector<Booking> bookings, ReadBookings(db));
    std::set<std::string> named;
    for (const Booking& booking : bookings) {
      named.insert(SlurmNameOf(booking));
      // The watcher looks a moment later.
      if (booking.state == BookingState::kOver) continue;
      const SlurmReservation* slurm = Find(*seen, SlurmNameOf(booking));
      const auto place = places.find(booking.spec.project);
      ReservationView view =
          ViewOf(person, place != places.end() ? place->second : Place::kNone,
                 slurm, &booking);
      // What Slurm has not concerns nobody but those who booked it, nor does
      // what it shows to Carme and hides from people.
      const bool hidden = slurm == nullptr || seen->reservations_hidden;
      if (hidden && !view.booking) continue;
      listing.reservations.push_back(std::move(view));
    }
    for (const SlurmReservation& slurm : seen->reservations) {
      if (named.contains(slurm.name)) continue;
      ReservationView view = ViewOf(person, Place::kNone, &slurm, nullptr);
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
  listing.may_book_alone = MayBookAtAll(config_, person.role, false);
  listing.may_book = listing.may_book_alone || !listing.projects.empty();
  return listing;
}

}  // namespace carme::backend
