#include <grpcpp/server_context.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/role_proto.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/users/user_store.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/account_proto.h"
#include "backend/rpc/convert/factor_proto.h"
#include "backend/rpc/convert/job_filter.h"
#include "backend/rpc/convert/log_text.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/server/certificate_watch.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "backend/slurm/node_updater.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/admin.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/message.h"
#include "common/pki/expiry.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxUsers = 500;
constexpr int kUsualUsers = 100;
constexpr size_t kMaxReason = 200;
constexpr size_t kMaxSubject = 64;
constexpr size_t kMaxNodeList = 1024;

PageQuery QueryOf(const v1::ListUsersRequest& request) {
  PageQuery query = PageOf(request, kUsualUsers);
  query.max_size = kMaxUsers;
  return query;
}

absl::Status CheckReason(const std::string& reason) {
  const std::optional<size_t> length = PrintableLength(reason);
  if (length && *length > 0 && *length <= kMaxReason) return absl::OkStatus();
  return MakeError(rpc_service_messages::kAdminReasonInvalid,
                   {{"max", kMaxReason}});
}

absl::Status CheckNodeCount(int nodes) {
  if (nodes >= 1 && nodes <= NodeUpdater::kMaxNodes) return absl::OkStatus();
  return MakeError(rpc_service_messages::kNodeCountInvalid,
                   {{"max", NodeUpdater::kMaxNodes}});
}

// What the impersonator refuses is written for administrators.
absl::Status ClientNodeError(const absl::Status& status) {
  if (status.ok() || absl::IsNotFound(status)) return status;
  return ClientOperationError(status);
}

class AdminService : public v1::AdminService::Service {
 public:
  explicit AdminService(AdminServiceParts parts) : parts_(std::move(parts)) {}

  grpc::Status ListUsers(grpc::ServerContext* context,
                         const v1::ListUsersRequest* request,
                         v1::ListUsersResponse* response) override {
    return ToGrpc(
        ClientError(List(*request, response), CallerOf(*context), "accounts"));
  }

  grpc::Status GetUser(grpc::ServerContext* context,
                       const v1::GetUserRequest* request,
                       v1::GetUserResponse* response) override {
    return ToGrpc(ClientError(Get(request->username(), response),
                              CallerOf(*context), "accounts"));
  }

  grpc::Status ListAllJobs(grpc::ServerContext* /*context*/,
                           const v1::ListAllJobsRequest* request,
                           v1::ListAllJobsResponse* response) override {
    std::vector<Job> jobs = parts_.jobs->All();
    const absl::StatusOr<std::string> next = CutJobs(*request, &jobs);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const Job& job : jobs) {
      v1::OwnedJob* row = response->add_jobs();
      row->set_owner(job.owner);
      Fill(job, row->mutable_job());
      row->mutable_job()->set_cluster(parts_.cluster);
    }
    return grpc::Status::OK;
  }

  grpc::Status StopUserJob(grpc::ServerContext* context,
                           const v1::StopUserJobRequest* request,
                           v1::StopUserJobResponse* response) override {
    return ChangeJob("admin-stop", *context, *request, response,
                     [&](const AdminJobs::Request& wanted) {
                       return parts_.admin_jobs->Stop(wanted);
                     });
  }
  grpc::Status HoldUserJob(grpc::ServerContext* context,
                           const v1::HoldUserJobRequest* request,
                           v1::HoldUserJobResponse* response) override {
    return ChangeJob("admin-hold", *context, *request, response,
                     [&](const AdminJobs::Request& wanted) {
                       return parts_.admin_jobs->Hold(wanted);
                     });
  }
  grpc::Status ReleaseUserJob(grpc::ServerContext* context,
                              const v1::ReleaseUserJobRequest* request,
                              v1::ReleaseUserJobResponse* response) override {
    return ChangeJob("admin-release", *context, *request, response,
                     [&](const AdminJobs::Request& wanted) {
                       return parts_.admin_jobs->Release(wanted);
                     });
  }
  grpc::Status ExtendUserJob(grpc::ServerContext* context,
                             const v1::ExtendUserJobRequest* request,
                             v1::ExtendUserJobResponse* response) override {
    const absl::Duration by = absl::Seconds(request->by().seconds()) +
                              absl::Nanoseconds(request->by().nanos());
    return ChangeJob("admin-extend", *context, *request, response,
                     [&](const AdminJobs::Request& wanted) {
                       return parts_.admin_jobs->Extend(
                           wanted, by, request->idempotency_key());
                     });
  }
  grpc::Status DrainNodes(grpc::ServerContext* context,
                          const v1::DrainNodesRequest* request,
                          v1::DrainNodesResponse* /*response*/) override {
    const absl::Status checked = CheckReason(request->reason());
    if (!checked.ok()) return ToGrpc(checked);
    return ChangeNodes("drain-nodes", *context, *request,
                       [&](const Caller& caller, const auto& nodes) {
                         return parts_.nodes->Drain(
                             {caller.session.username, caller.session.uid},
                             nodes, request->reason(), caller.request_id);
                       });
  }
  grpc::Status ResumeNodes(grpc::ServerContext* context,
                           const v1::ResumeNodesRequest* request,
                           v1::ResumeNodesResponse* /*response*/) override {
    return ChangeNodes("resume-nodes", *context, *request,
                       [&](const Caller& caller, const auto& nodes) {
                         return parts_.nodes->Resume(
                             {caller.session.username, caller.session.uid},
                             nodes, caller.request_id);
                       });
  }
  grpc::Status GetUserJobLog(grpc::ServerContext* context,
                             const v1::GetUserJobLogRequest* request,
                             v1::GetUserJobLogResponse* response) override {
    const Caller caller = CallerOf(*context);
    std::optional<uint32_t> task;
    if (request->has_task()) task = request->task();
    const absl::Status ready = parts_.audit->Ready();
    const absl::StatusOr<LogText> log =
        ready.ok() ? parts_.admin_jobs->ReadLog(JobRequest(caller, *request),
                                                request->app(),
                                                request->offset_bytes(), task)
                   : absl::StatusOr<LogText>(ready);
    // The log is sent only after the audit entry of the reader is written.
    const absl::Status noted =
        NoteJob(*context, caller, "admin-read-log", *request, log.status());
    if (!noted.ok()) return ToGrpc(noted);
    if (!log.ok()) return ToGrpc(ClientError(log.status(), caller, "logs"));
    FillLog(*log, response);
    return grpc::Status::OK;
  }

  grpc::Status ResetFactors(grpc::ServerContext* context,
                            const v1::ResetFactorsRequest* request,
                            v1::ResetFactorsResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status reset =
        Reset(caller, request->username(), request->reason());
    const absl::Status noted =
        Note(*context, caller, "reset-factors", *request, reset);
    return ToGrpc(noted.ok() ? ClientError(reset, caller, "accounts") : noted);
  }

  grpc::Status EndUserSessions(grpc::ServerContext* context,
                               const v1::EndUserSessionsRequest* request,
                               v1::EndUserSessionsResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status ended =
        EndAll(request->username(), request->reason(), response);
    // The sessions have ended in any case.
    Note(*context, caller, "end-user-sessions", *request, ended).IgnoreError();
    return ToGrpc(ClientError(ended, caller, "accounts"));
  }

  grpc::Status GetHealth(grpc::ServerContext* /*context*/,
                         const v1::GetHealthRequest* /*request*/,
                         v1::GetHealthResponse* response) override {
    for (const CertificateHealth& shown : parts_.certificates->Health()) {
      v1::CertificateHealth* row = response->add_certificates();
      row->set_program(shown.program);
      row->set_name(shown.name);
      *row->mutable_not_after() = TimestampOf(shown.not_after);
      row->set_soon(shown.soon);
    }
    for (v1::ComponentHealth& shown : parts_.health->Report()) {
      *response->add_components() = std::move(shown);
    }
    return grpc::Status::OK;
  }

 private:
  template <typename Request>
  static AdminJobs::Request JobRequest(const Caller& caller,
                                       const Request& request) {
    return {.administrator = caller.session,
            .job = JobId(request.job_id()),
            .reason = request.reason(),
            .request_id = caller.request_id};
  }

  template <typename Request, typename Response, typename Act>
  grpc::Status ChangeJob(const char* name, const grpc::ServerContext& context,
                         const Request& request, Response* response,
                         const Act& act) {
    const Caller caller = CallerOf(context);
    const absl::Status ready = parts_.audit->Ready();
    const absl::StatusOr<Job> job = ready.ok()
                                        ? act(JobRequest(caller, request))
                                        : absl::StatusOr<Job>(ready);
    const absl::Status noted =
        NoteJob(context, caller, name, request, job.status());
    if (!noted.ok()) return ToGrpc(noted);
    if (!job.ok()) return ToGrpc(job.status());
    response->mutable_job()->set_owner(job->owner);
    Fill(*job, response->mutable_job()->mutable_job());
    response->mutable_job()->mutable_job()->set_cluster(parts_.cluster);
    return grpc::Status::OK;
  }

  template <typename Request>
  absl::Status NoteJob(const grpc::ServerContext& context, const Caller& caller,
                       const char* act, const Request& request,
                       const absl::Status& status) {
    AuditEvent event = Outcome(EventOf(context, caller, act), status);
    event.subject = Readable(request.job_id(), kMaxSubject);
    absl::StrAppend(&event.result,
                    "; reason: ", Readable(request.reason(), kMaxReason));
    return RecordChange(parts_.audit, event);
  }

  template <typename Request, typename Act>
  grpc::Status ChangeNodes(const char* name, const grpc::ServerContext& context,
                           const Request& request, const Act& act) {
    const Caller caller = CallerOf(context);
    const std::vector<std::string> nodes(request.nodes().begin(),
                                         request.nodes().end());
    absl::Status status = CheckNodeCount(request.nodes_size());
    if (status.ok()) status = parts_.audit->Ready();
    if (status.ok()) status = ClientNodeError(act(caller, nodes));
    AuditEvent event = Outcome(EventOf(context, caller, name), status);
    event.subject = Readable(absl::StrJoin(nodes, ","), kMaxNodeList);
    absl::StrAppend(&event.result,
                    "; reason: ", Readable(request.reason(), kMaxReason));
    const absl::Status noted = RecordChange(parts_.audit, event);
    return ToGrpc(noted.ok() ? status : noted);
  }

  absl::Status List(const v1::ListUsersRequest& request,
                    v1::ListUsersResponse* response) {
    const PageQuery query = QueryOf(request);
    const std::string& search = request.filter().search();
    RETURN_IF_ERROR(CheckSearch("filter.search", search));
    ASSIGN_OR_RETURN(const int size, PageSizeOf(query));
    ASSIGN_OR_RETURN(const std::string after, PageKeyOf(query));
    ASSIGN_OR_RETURN(const std::vector<UserRecord> people,
                     parts_.users->List(search, after, size + 1));
    for (const UserRecord& known : people) {
      if (response->users_size() == size) {
        response->set_next_page_token(
            PageTokenOf(response->users(size - 1).username(), query.filter));
        break;
      }
      RETURN_IF_ERROR(FillUser(known, response->add_users()));
    }
    for (const RoleRule& rule : parts_.roles) {
      v1::RoleRule* row = response->add_roles();
      row->set_role(carme::backend::ToProto(rule.role));
      row->set_group(rule.group);
    }
    return absl::OkStatus();
  }

  absl::Status Get(const std::string& username, v1::GetUserResponse* response) {
    ASSIGN_OR_RETURN(const UserRecord known, parts_.users->Find(username));
    const Uid uid = known.person.uid;
    RETURN_IF_ERROR(FillUser(known, response->mutable_user()));
    ASSIGN_OR_RETURN(const auto factors, parts_.factors->List(uid));
    for (const EnrolledFactor& factor : factors) {
      *response->add_factors() = ToProto(factor);
    }
    ASSIGN_OR_RETURN(const int left, parts_.recovery_codes->CountUnused(uid));
    response->set_recovery_codes_left(left);
    for (const SessionUse& use : parts_.sessions->Of(uid)) {
      Fill(use, SessionId(), response->add_sessions());
    }
    for (const AccessToken& token : parts_.tokens->Of(uid)) {
      Fill(token, response->add_tokens());
    }
    return absl::OkStatus();
  }

  absl::Status FillUser(const UserRecord& known, v1::User* user) {
    const Person& person = known.person;
    user->set_username(person.username);
    user->set_uid(person.uid.value());
    user->set_display_name(person.display_name);
    user->set_role(carme::backend::ToProto(person.role));
    *user->mutable_last_login() = TimestampOf(known.last_login);
    ASSIGN_OR_RETURN(const auto factors, parts_.factors->List(person.uid));
    for (const v1::Factor kind : {v1::FACTOR_TOTP, v1::FACTOR_PASSKEY}) {
      const bool has =
          std::any_of(factors.begin(), factors.end(),
                      [&](const auto& factor) { return factor.kind == kind; });
      if (has) user->add_factors(kind);
    }
    user->set_sessions(
        static_cast<int32_t>(parts_.sessions->Of(person.uid).size()));
    user->set_tokens(
        static_cast<int32_t>(parts_.tokens->Of(person.uid).size()));
    return absl::OkStatus();
  }

  absl::Status Reset(const Caller& caller, const std::string& username,
                     const std::string& reason) {
    RETURN_IF_ERROR(CheckReason(reason));
    ASSIGN_OR_RETURN(const UserRecord known, parts_.users->Find(username));
    const Uid uid = known.person.uid;
    // Otherwise a person at an administrator's unlocked screen could remove the
    // administrator's factors.
    if (uid == caller.session.uid) {
      return MakeError(rpc_service_messages::kAdminOwnAccount);
    }
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(parts_.factors->RemoveAll(
        uid, MakeText(rpc_service_messages::kFactorsRemovedByAdministrator,
                      {{"reason", reason}})));
    parts_.credentials->EndAllOf(uid, username);
    return absl::OkStatus();
  }

  absl::Status EndAll(const std::string& username, const std::string& reason,
                      v1::EndUserSessionsResponse* response) {
    RETURN_IF_ERROR(CheckReason(reason));
    ASSIGN_OR_RETURN(const UserRecord known, parts_.users->Find(username));
    const TokenAuthenticator::Deprovisioned ended =
        parts_.credentials->EndAllOf(known.person.uid, username);
    response->set_sessions(ended.sessions);
    response->set_tokens(ended.tokens);
    return absl::OkStatus();
  }

  template <typename Request>
  absl::Status Note(const grpc::ServerContext& context, const Caller& caller,
                    const char* act, const Request& request,
                    const absl::Status& status) {
    AuditEvent event = Outcome(EventOf(context, caller, act), status);
    event.subject = request.username();
    absl::StrAppend(&event.result, "; reason: ", request.reason());
    return RecordChange(parts_.audit, event);
  }

  const AdminServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAdminService(AdminServiceParts parts) {
  return std::make_unique<AdminService>(std::move(parts));
}

}  // namespace carme::backend
