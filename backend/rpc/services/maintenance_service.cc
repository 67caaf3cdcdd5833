#include <grpcpp/server_context.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/maintenance/maintenance.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/store/database_error.h"
#include "carme/v1/maintenance.grpc.pb.h"
#include "common/clock.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kMaxSeconds = 253402300799;  // Timestamp's

void FillMaintenance(const MaintenanceWindow& window, absl::Time now,
                     v1::Maintenance* message) {
  message->set_message(window.message);
  Fill(window.starts_at, message->mutable_starts_at());
  Fill(window.ends_at, message->mutable_ends_at());
  message->set_auto_end(window.auto_end);
  message->set_in_effect(IsInEffect(window, now));
}

void FillDetails(const MaintenanceWindow& window, absl::Time now,
                 v1::MaintenanceDetails* details) {
  FillMaintenance(window, now, details->mutable_maintenance());
  details->set_started_by(window.started_by);
  details->set_reservation(window.reservation);
  details->set_partition(window.partition);
  details->set_nodes(window.nodes);
}

absl::StatusOr<absl::Time> TimeOf(const char* field,
                                  const google::protobuf::Timestamp& time) {
  if (time.seconds() > 0 && time.seconds() <= kMaxSeconds) {
    return absl::FromUnixSeconds(time.seconds());
  }
  return MakeError(rpc_service_messages::kMaintenanceTimeInvalid,
                   {{"field", field}});
}

absl::StatusOr<MaintenanceRequest> RequestOf(
    const v1::StartMaintenanceRequest& message) {
  MaintenanceRequest request{.message = message.message(),
                             .auto_end = message.auto_end(),
                             .reserve = message.reserve(),
                             .partition = message.partition(),
                             .nodes = message.nodes()};
  if (message.has_starts_at()) {
    ASSIGN_OR_RETURN(request.starts_at,
                     TimeOf("startsAt", message.starts_at()));
  }
  ASSIGN_OR_RETURN(request.ends_at, TimeOf("endsAt", message.ends_at()));
  return request;
}

// The audited fields; not the message.
std::string SubjectOf(const absl::StatusOr<MaintenanceWindow>& window) {
  if (!window.ok()) return "";
  constexpr char kFormat[] = "%Y-%m-%dT%H:%M:%SZ";
  const absl::TimeZone utc = absl::UTCTimeZone();
  return absl::StrCat(absl::FormatTime(kFormat, window->starts_at, utc), " ",
                      absl::FormatTime(kFormat, window->ends_at, utc), " ",
                      window->reservation);
}

class MaintenanceService : public v1::MaintenanceService::Service {
 public:
  MaintenanceService(Maintenance* maintenance, AuditLog* audit,
                     const Clock* clock)
      : maintenance_(*maintenance), audit_(audit), clock_(*clock) {}

  grpc::Status GetMaintenance(grpc::ServerContext* /*context*/,
                              const v1::GetMaintenanceRequest* /*request*/,
                              v1::GetMaintenanceResponse* response) override {
    if (const auto current = maintenance_.Current()) {
      FillMaintenance(*current, clock_.Now(), response->mutable_maintenance());
    }
    return grpc::Status::OK;
  }

  grpc::Status GetMaintenanceDetails(
      grpc::ServerContext* /*context*/,
      const v1::GetMaintenanceDetailsRequest* /*request*/,
      v1::GetMaintenanceDetailsResponse* response) override {
    if (const auto current = maintenance_.Current()) {
      FillDetails(*current, clock_.Now(), response->mutable_details());
    }
    return grpc::Status::OK;
  }

  grpc::Status StartMaintenance(
      grpc::ServerContext* context, const v1::StartMaintenanceRequest* request,
      v1::StartMaintenanceResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<MaintenanceWindow> window = Start(caller, *request);
    AuditEvent event = Outcome(EventOf(*context, caller, "maintenance-start"),
                               window.status());
    event.subject = SubjectOf(window);
    const absl::Status noted = RecordChange(audit_, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!window.ok()) return ToGrpc(Shown(window.status(), caller));
    FillDetails(*window, clock_.Now(), response->mutable_details());
    return grpc::Status::OK;
  }

  grpc::Status EndMaintenance(grpc::ServerContext* context,
                              const v1::EndMaintenanceRequest* /*request*/,
                              v1::EndMaintenanceResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<std::string> remaining =
        maintenance_.End(caller.request_id);
    const absl::Status noted = RecordChange(
        audit_, Outcome(EventOf(*context, caller, "maintenance-end"),
                        remaining.status()));
    if (!noted.ok()) return ToGrpc(noted);
    if (!remaining.ok()) return ToGrpc(Shown(remaining.status(), caller));
    response->set_remaining_reservation(*remaining);
    return grpc::Status::OK;
  }

 private:
  absl::StatusOr<MaintenanceWindow> Start(
      const Caller& caller, const v1::StartMaintenanceRequest& message) {
    ASSIGN_OR_RETURN(const MaintenanceRequest request, RequestOf(message));
    RETURN_IF_ERROR(audit_->Ready());
    return maintenance_.Start({caller.session.username, caller.session.uid},
                              request, caller.request_id);
  }

  // UNAVAILABLE with a message for users is a refusal, too.
  static absl::Status Shown(const absl::Status& status, const Caller& caller) {
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) return status;
    return ClientError(status, caller, "maintenance");
  }

  Maintenance& maintenance_;
  AuditLog* const audit_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewMaintenanceService(Maintenance* maintenance,
                                                     AuditLog* audit,
                                                     const Clock* clock) {
  return std::make_unique<MaintenanceService>(maintenance, audit, clock);
}

}  // namespace carme::backend
