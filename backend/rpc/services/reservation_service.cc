#include <grpcpp/server_context.h>

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/reservations/reservations.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/convert/reservation_proto.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/store/database_error.h"
#include "carme/v1/reservation.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxKeyBytes = 64;
constexpr size_t kMaxSubjectBytes = 128;

ReservationSpec SpecOf(const v1::ReservationSpec& message) {
  // Drops fractions of a second.
  return {.title = message.title(),
          .project = message.project(),
          .partition = message.partition(),
          .nodes = message.nodes(),
          .starts_at = absl::FromUnixSeconds(message.starts_at().seconds()),
          .duration = absl::Seconds(message.duration().seconds())};
}

absl::Status CheckKey(const std::string& key) {
  const bool plain = std::all_of(key.begin(), key.end(),
                                 [](char c) { return c >= 0x20 && c <= 0x7e; });
  if (plain && key.size() <= kMaxKeyBytes) return absl::OkStatus();
  return MakeError(rpc_service_messages::kReservationIdempotencyKeyInvalid,
                   {{"max", kMaxKeyBytes}});
}

absl::Status CheckSpec(const v1::ReservationSpec& spec) {
  constexpr int64_t kMaxSeconds = 253402300799;  // Timestamp's
  if (!spec.has_starts_at() || spec.starts_at().seconds() < 0 ||
      spec.starts_at().seconds() > kMaxSeconds) {
    return MakeError(rpc_service_messages::kReservationStartRequired);
  }
  // Longer than any site allows.
  if (spec.duration().seconds() < 0 ||
      spec.duration().seconds() > int64_t{366} * 24 * 3600) {
    return MakeError(rpc_service_messages::kReservationDurationInvalid);
  }
  return absl::OkStatus();
}

// The audited fields; not the title.
std::string SubjectOf(const v1::ReservationSpec& spec,
                      const absl::StatusOr<ReservationView>& booked) {
  return absl::StrCat(
      booked.ok() ? booked->name : "-", " ", spec.project(), " ",
      booked.ok() ? booked->partition : spec.partition(), " ", spec.nodes(),
      " nodes ",
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                       absl::FromUnixSeconds(spec.starts_at().seconds()),
                       absl::UTCTimeZone()),
      " ", spec.duration().seconds() / 60, " min");
}

// Whether the reservation matches all fields that the filter sets.
bool Matches(const v1::ReservationFilter& filter, const ReservationView& view) {
  v1::Reservation row;
  Fill(view, &row);
  const auto is = [](const std::string& wanted, const std::string& found) {
    return wanted.empty() || wanted == found;
  };
  return is(filter.project(), row.project()) &&
         is(filter.partition(), row.partition()) &&
         (ContainsText(row.name(), filter.search()) ||
          ContainsText(row.title(), filter.search()) ||
          ContainsText(row.owner(), filter.search()));
}

class ReservationService : public v1::ReservationService::Service {
 public:
  ReservationService(Reservations* reservations, AuditLog* audit)
      : reservations_(*reservations), audit_(audit) {}

  grpc::Status ListReservations(
      grpc::ServerContext* context, const v1::ListReservationsRequest* request,
      v1::ListReservationsResponse* response) override {
    const Caller caller = CallerOf(*context);
    const v1::ReservationFilter& filter = request->filter();
    const absl::Status sound = CheckSearch("filter.search", filter.search());
    if (!sound.ok()) return ToGrpc(sound);
    Person reader = PersonOf(caller.session);
    reader.role =
        ReadingRole(caller.session, {"reservations:read", "admin:read"});
    absl::StatusOr<Reservations::Listing> listing = reservations_.List(reader);
    if (!listing.ok()) return ToGrpc(Shown(listing.status(), caller));
    std::erase_if(listing->reservations, [&](const ReservationView& view) {
      return !Matches(filter, view);
    });
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &listing->reservations);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const ReservationView& view : listing->reservations) {
      Fill(view, response->add_reservations());
    }
    response->set_may_reserve_alone(listing->may_reserve_alone);
    *response->mutable_projects() = {listing->projects.begin(),
                                     listing->projects.end()};
    const ReservationsConfig& config = reservations_.config();
    if (!config.IsOffered()) return grpc::Status::OK;
    v1::ReservationLimits* limits = response->mutable_limits();
    *limits->mutable_partitions() = {config.partitions.begin(),
                                     config.partitions.end()};
    limits->set_max_nodes(config.max_nodes);
    limits->set_max_minutes(config.max_minutes);
    limits->set_max_days_ahead(config.max_days_ahead);
    limits->set_max_per_user(config.max_per_user);
    limits->set_max_per_project(config.max_per_project);
    return grpc::Status::OK;
  }

  grpc::Status PreviewReservation(
      grpc::ServerContext* context,
      const v1::PreviewReservationRequest* request,
      v1::PreviewReservationResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status sound = CheckSpec(request->spec());
    if (!sound.ok()) return ToGrpc(sound);
    const absl::StatusOr<ReservationDecision> decision = reservations_.Preview(
        PersonOf(caller.session), SpecOf(request->spec()));
    if (!decision.ok()) return ToGrpc(Shown(decision.status(), caller));
    for (const Violation& violation : decision->violations) {
      carme::backend::Fill(violation, response->add_violations());
    }
    response->set_nodes(decision->nodes);
    response->set_free_nodes(decision->free_nodes);
    *response->mutable_conflicts() = {decision->conflicts.begin(),
                                      decision->conflicts.end()};
    return grpc::Status::OK;
  }

  grpc::Status CreateReservation(
      grpc::ServerContext* context, const v1::CreateReservationRequest* request,
      v1::CreateReservationResponse* response) override {
    const Caller caller = CallerOf(*context);
    absl::Status may = CheckKey(request->idempotency_key());
    if (may.ok()) may = CheckSpec(request->spec());
    if (may.ok()) may = audit_->Ready();
    const absl::StatusOr<ReservationView> booked =
        may.ok() ? reservations_.Create(
                       PersonOf(caller.session), SpecOf(request->spec()),
                       request->idempotency_key(), caller.request_id)
                 : may;
    grpc::Status result =
        RecordResult(*context, caller, "reservation-book",
                     SubjectOf(request->spec(), booked), booked.status());
    if (result.ok()) Fill(*booked, response->mutable_reservation());
    return result;
  }

  grpc::Status CancelReservation(
      grpc::ServerContext* context, const v1::CancelReservationRequest* request,
      v1::CancelReservationResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status may = audit_->Ready();
    const absl::StatusOr<Reservation> cancelled =
        may.ok() ? reservations_.Cancel(PersonOf(caller.session), request->id(),
                                        caller.request_id)
                 : may;
    std::string subject = request->id();
    if (cancelled.ok()) absl::StrAppend(&subject, " of ", cancelled->owner);
    grpc::Status result = RecordResult(*context, caller, "reservation-cancel",
                                       subject, cancelled.status());
    if (result.ok()) {
      response->set_state(cancelled->state);
    }
    return result;
  }

 private:
  // Records the result of a change, and converts it for the caller.
  grpc::Status RecordResult(const grpc::ServerContext& context,
                            const Caller& caller, const char* act,
                            const std::string& subject,
                            const absl::Status& result) {
    AuditEvent event = Outcome(EventOf(context, caller, act), result);
    event.subject = Readable(subject, kMaxSubjectBytes);
    const absl::Status noted = RecordChange(audit_, event);
    if (!noted.ok()) return ToGrpc(noted);
    return ToGrpc(result.ok() ? result : Shown(result, caller));
  }

  // "Slurm is unavailable" already has a message for users.
  static absl::Status Shown(const absl::Status& status, const Caller& caller) {
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) return status;
    return ClientError(status, caller, "reservations");
  }

  Reservations& reservations_;
  AuditLog* const audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewReservationService(Reservations* reservations,
                                                     AuditLog* audit) {
  return std::make_unique<ReservationService>(reservations, audit);
}

}  // namespace carme::backend
