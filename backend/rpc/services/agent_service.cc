#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/rendered_environment.h"
#include "backend/images/image_catalogue.h"
#include "backend/images/image_rules.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/agents/job_apps.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/jobs/agents/log_reports.h"
#include "backend/jobs/agents/metrics_config.h"
#include "backend/jobs/agents/munge_decoder.h"
#include "backend/jobs/agents/vet_reports.h"
#include "backend/jobs/image_copies.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/model/node_address.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/agent_plan.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/rpc/services/watch_job.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/clock.h"
#include "common/crypto/file_digest.h"
#include "common/crypto/hash.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/request_digest.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// A certificate outlives its job by this margin, for clock differences and jobs
// that end slowly.
constexpr absl::Duration kCertificateMargin = absl::Minutes(10);
constexpr uint32_t kMinPort = 1024;
constexpr size_t kMaxProblemBytes = 400;
constexpr size_t kMaxNodeBytes = 64;
constexpr uint32_t kMaxPort = 65535;

// The payload that a credential for this call must have.
template <typename Request>
std::string PayloadOf(const std::string& method, Request request) {
  request.clear_munge();
  return RequestDigest(method, request);
}

// Reports are written to the database and may wait for Slurm; streams must not.
using Base =
    v1::AgentService::WithCallbackMethod_WatchJob<v1::AgentService::Service>;

std::optional<JobAppState> StateOf(v1::AppState state) {
  switch (state) {
    case v1::APP_STATE_STARTING:
      return v1::JOB_APP_STATE_STARTING;
    case v1::APP_STATE_READY:
      return v1::JOB_APP_STATE_READY;
    case v1::APP_STATE_FAILED:
      return v1::JOB_APP_STATE_FAILED;
    case v1::APP_STATE_ENDED:
      return v1::JOB_APP_STATE_UNSPECIFIED;
    case v1::APP_STATE_UNAVAILABLE:
      return v1::JOB_APP_STATE_UNAVAILABLE;
    default:
      return std::nullopt;
  }
}

DisplayText DetailOf(const v1::ReportStateRequest& request) {
  return DisplayTextOf(request.detail(), request.detail_code());
}

// A job that copies nothing must not report copying; the same for vetting.
bool HasStep(const Job& job, const std::string& id) {
  return (id == kStageIn && !job.spec.stage_in.empty()) ||
         (id == kStageOut && !job.spec.stage_out.empty()) ||
         (id == kVetting && job.spec.required_nodes.has_value());
}

class AgentService : public Base {
 public:
  explicit AgentService(const AgentServiceParts& parts)
      : parts_(parts),
        plan_({.config = parts.config,
               .images = parts.images,
               .jobs = parts.jobs,
               .authorities = parts.authorities,
               .proxy_name = parts.proxy_name,
               .ticket_public_key = parts.ticket_public_key}),
        log_reports_({.logs = parts.logs,
                      .scheduler = parts.scheduler,
                      .admission = parts.admission,
                      .history = parts.node_history}),
        vet_reports_({.history = parts.node_history,
                      .scheduler = parts.scheduler,
                      .admission = parts.admission}),
        follow_({.dispatcher = parts.dispatcher,
                 .authorities = parts.authorities,
                 .admission = parts.admission}) {}

  grpc::Status Register(grpc::ServerContext* context,
                        const v1::RegisterRequest* request,
                        v1::RegisterResponse* response) override {
    AuditEvent event = EventOfAgent(*context, "register-agent", *request);
    const absl::Status status = LetIn(*request, event.source, &event, response);
    parts_.audit->Record(Outcome(std::move(event), status));
    return Answer(status);
  }

  grpc::Status ReportState(grpc::ServerContext* context,
                           const v1::ReportStateRequest* request,
                           v1::ReportStateResponse* /*response*/) override {
    AuditEvent event = EventOfAgent(*context, "report-state", *request);
    const absl::Status status = ApplyReport(*request, event.source, &event);
    // Reports of admitted agents are not audited; rejected reports are.
    const bool is_last_word = request->state() == v1::APP_STATE_ENDED &&
                              IsOwnersJob(*request, event, status);
    if (status.ok() || is_last_word) {
      LogInfo("agent reported",
              {{"request", event.request_id},
               {"job", event.subject},
               {"state", static_cast<int>(request->state())},
               {"result", absl::StatusCodeToString(status.code())}});
    } else {
      parts_.audit->Record(Outcome(std::move(event), status));
    }
    return Answer(status);
  }

  grpc::Status ReportImage(grpc::ServerContext* context,
                           const v1::ReportImageRequest* request,
                           v1::ReportImageResponse* /*response*/) override {
    AuditEvent event = EventOfAgent(*context, "report-image", *request);
    const absl::Status status = TakeImage(*request, event.source, &event);
    parts_.audit->Record(Outcome(std::move(event), status));
    return Answer(status);
  }

  grpc::Status ReportLog(grpc::ServerContext* context,
                         const v1::ReportLogRequest* request,
                         v1::ReportLogResponse* /*response*/) override {
    AuditEvent event = EventOfAgent(*context, "report-log", *request);
    const absl::Status status = AddLogLines(*request, event.source, &event);
    // As for ReportState.
    if (!status.ok()) parts_.audit->Record(Outcome(std::move(event), status));
    return Answer(status);
  }

  grpc::Status ReportVetRun(grpc::ServerContext* context,
                            const v1::ReportVetRunRequest* request,
                            v1::ReportVetRunResponse* /*response*/) override {
    AuditEvent event = EventOfAgent(*context, "report-vet-run", *request);
    const absl::Status status = AddVetRun(*request, event.source, &event);
    // Runs of users are as ReportState; what may drain a node is recorded.
    const bool is_failed_run_of_root = request->slurm_job_id() == 0 &&
                                       request->nodes_size() == 1 &&
                                       request->nodes(0).failures_size() > 0;
    if (!status.ok() || is_failed_run_of_root) {
      parts_.audit->Record(Outcome(std::move(event), status));
    }
    return Answer(status);
  }

  grpc::Status GetVetRequest(grpc::ServerContext* context,
                             const v1::GetVetRequestRequest* request,
                             v1::GetVetRequestResponse* response) override {
    AuditEvent event = EventOf(*context, CallerOf(*context), "get-vet-request");
    event.source = PeerAddress(*context);
    event.subject = Readable(request->node(), kMaxNodeBytes);
    const absl::StatusOr<bool> requested =
        ReadVetRequest(*request, event.source, &event);
    if (requested.ok()) {
      response->set_is_requested(*requested);
    } else {
      parts_.audit->Record(Outcome(std::move(event), requested.status()));
    }
    return Answer(requested.status());
  }

  using Base::WatchJob;
  grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJob(
      grpc::CallbackServerContext* context,
      const v1::WatchJobRequest* request) override {
    return follow_.Open(context,
                        [this, given = *request,
                         event = EventOfAgent(*context, "follow", *request)] {
                          return AdmitFollower(given, event);
                        });
  }

 private:
  template <typename Request>
  static AuditEvent EventOfAgent(const grpc::ServerContextBase& context,
                                 const char* act, const Request& request) {
    AuditEvent event = EventOf(context, CallerOf(context), act);
    event.source = PeerAddress(context);
    event.subject = absl::StrCat("Slurm job ", request.slurm_job_id());
    return event;
  }

  // Agents also report while Slurm ends their job, as in every normal stop. The
  // uid is verified, and the job belongs to that uid.
  template <typename Request>
  bool IsOwnersJob(const Request& request, const AuditEvent& event,
                   const absl::Status& status) const {
    return absl::IsPermissionDenied(status) && event.actor_uid != kNoUid &&
           parts_.admission->IsOwnersJob(
               {.slurm_job = SlurmJobId(request.slurm_job_id()),
                .uid = event.actor_uid,
                .peer_address = event.source});
  }

  // The uid that the credential proves, also in `event`.
  template <typename Request>
  absl::StatusOr<Uid> Verify(const std::string& method, const Request& request,
                             AuditEvent* event) {
    ASSIGN_OR_RETURN(const Credential credential,
                     parts_.decoder->Decode(request.munge()));
    if (!EqualInConstantTime(credential.payload, PayloadOf(method, request))) {
      return MakeError(rpc_service_messages::kAgentCredentialForAnotherCall);
    }
    event->actor_uid = credential.uid;
    return credential.uid;
  }

  // Fills in the identity, as far as it is verified.
  template <typename Request>
  absl::StatusOr<Job> Admit(const std::string& method, const Request& request,
                            const std::string& peer, AuditEvent* event) {
    ASSIGN_OR_RETURN(const Uid uid, Verify(method, request, event));
    ASSIGN_OR_RETURN(Job job,
                     parts_.admission->Admit(
                         {.slurm_job = SlurmJobId(request.slurm_job_id()),
                          .uid = uid,
                          .peer_address = peer}));
    event->actor = job.owner;
    event->subject = job.id.value();
    return job;
  }

  absl::Status LetIn(const v1::RegisterRequest& request,
                     const std::string& peer, AuditEvent* event,
                     v1::RegisterResponse* response) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    ASSIGN_OR_RETURN(
        const Job admitted,
        Admit("/carme.v1.AgentService/Register", request, peer, event));
    const absl::Status begun = Begin(request, admitted, peer, response);
    // The agent exits then, and this is the reason why its job fails. A
    // repeated request of an admitted agent ends no job.
    const bool first = admitted.agent.port == 0 || IsArray(admitted);
    if (first && absl::IsFailedPrecondition(begun)) {
      parts_.admission
          ->ReportEnded(
              admitted.id, TextOfStatus(begun),
              parts_.admission->TaskOf(SlurmJobId(request.slurm_job_id())))
          .IgnoreError();
    }
    return begun;
  }

  absl::Status Begin(const v1::RegisterRequest& request, const Job& admitted,
                     const std::string& peer, v1::RegisterResponse* response) {
    if (request.port() < kMinPort || request.port() > kMaxPort) {
      return MakeError(
          rpc_service_messages::kAgentPortInvalid,
          {{"port", request.port()}, {"min", kMinPort}, {"max", kMaxPort}});
    }
    // A job that already runs continues.
    if (admitted.agent.port == 0 || IsArray(admitted)) {
      RETURN_IF_ERROR(parts_.jobs->MayBegin(admitted));
    }
    if (IsLinkedJob(admitted)) {
      RETURN_IF_ERROR(parts_.admission->CheckJoins(admitted));
    }
    RETURN_IF_ERROR(plan_.FillWork(admitted, response));
    AddMetricsPlan(response);
    // Batch jobs have no apps, but show the certificate to carme-metrics.
    if (!IsBatch(admitted) || response->has_metrics()) {
      RETURN_IF_ERROR(Certify(request, admitted, response));
    }
    const int port =
        parts_.dial.empty() ? static_cast<int>(request.port()) : kDialsOut;
    RETURN_IF_ERROR(
        parts_.admission->Register(admitted.id, {CanonicalAddress(peer), port})
            .status());
    plan_.FillTrust(admitted, response);
    *response->mutable_dial() = {parts_.dial.begin(), parts_.dial.end()};
    return absl::OkStatus();
  }

  // A job runs without metrics if they are not configured rightly.
  void AddMetricsPlan(v1::RegisterResponse* response) const {
    if (parts_.metrics == nullptr || parts_.metrics->addresses.empty()) return;
    absl::StatusOr<v1::MetricsPlan> plan = MakeMetricsPlan(*parts_.metrics);
    if (plan.ok()) {
      *response->mutable_metrics() = *std::move(plan);
      return;
    }
    LogWarning("agents sample nothing: [metrics] \"ca\" cannot be read",
               {{"error", plan.status().ToString()}});
  }

  absl::Status Certify(const v1::RegisterRequest& request, const Job& job,
                       v1::RegisterResponse* response) const {
    const absl::Time now = parts_.clock->Now();
    // Extensions do not renew the certificate.
    const absl::Time end = parts_.jobs->extensions().LatestEnd(
        job, job.ends_at.value_or(now + job.spec.walltime));
    ASSIGN_OR_RETURN(std::string certificate,
                     parts_.job_ca->Issue(request.csr_pem(), job.id, now,
                                          end + kCertificateMargin));
    response->set_certificate_pem(std::move(certificate));
    return absl::OkStatus();
  }

  // Opening the stream is not audited; a rejected attempt is.
  absl::StatusOr<JobId> AdmitFollower(const v1::WatchJobRequest& request,
                                      AuditEvent event) {
    const absl::StatusOr<Job> job =
        Admit("/carme.v1.AgentService/WatchJob", request, event.source, &event);
    if (job.ok()) {
      SetLinkedJob(*job, request);
      parts_.admission->SetReturnableNodes(*job,
                                           {request.returnable_nodes().begin(),
                                            request.returnable_nodes().end()});
      RecordActivity(*job, request);
      return job->id;
    }
    if (!IsOwnersJob(request, event, job.status())) {
      parts_.audit->Record(Outcome(std::move(event), job.status()));
    }
    return ClientError(job.status());
  }

  // The stream also serves jobs without linked jobs. Wrong reports about nodes
  // are dropped.
  void SetLinkedJob(const Job& job, const v1::WatchJobRequest& request) {
    if (!request.has_job()) return;
    const absl::Status taken =
        parts_.admission->SetLinkedJob(job, request.job());
    if (taken.ok()) return;
    LogWarning("rejecting the nodes that an agent reported",
               {{"job", job.id.value()},
                {"user", job.owner},
                {"error", StatusText(taken)}});
  }

  void RecordActivity(const Job& job,
                      const v1::WatchJobRequest& request) const {
    if (!request.has_use()) return;
    const v1::JobUse& use = request.use();
    std::optional<uint32_t> min;
    const auto take = [&](bool has, uint32_t seconds) {
      if (has) min = std::min(min.value_or(seconds), seconds);
    };
    take(use.has_input_s(), use.input_s());
    take(use.has_kernel_s(), use.kernel_s());
    take(use.has_work_s(), use.work_s());
    if (!min) return;
    ObservedUse observed{.unused = absl::Seconds(*min)};
    if (use.has_input_s()) observed.input = absl::Seconds(use.input_s());
    parts_.activity->OnAgentActivity(job.id, observed);
  }

  absl::Status ApplyReport(const v1::ReportStateRequest& request,
                           const std::string& peer, AuditEvent* event) {
    absl::StatusOr<Job> admitted =
        Admit("/carme.v1.AgentService/ReportState", request, peer, event);
    // Results are copied while Slurm ends the job.
    if (absl::IsPermissionDenied(admitted.status()) &&
        request.app() == kStageOut && event->actor_uid != kNoUid) {
      admitted = parts_.admission->OwnersJob(
          {.slurm_job = SlurmJobId(request.slurm_job_id()),
           .uid = event->actor_uid,
           .peer_address = peer});
    }
    ASSIGN_OR_RETURN(const Job job, std::move(admitted));
    const std::optional<uint32_t> task =
        parts_.admission->TaskOf(SlurmJobId(request.slurm_job_id()));
    if (request.app().empty()) {
      if (request.state() == v1::APP_STATE_ENDED) {
        return parts_.admission->ReportEnded(job.id, DetailOf(request), task);
      }
      if (request.state() == v1::APP_STATE_READY && IsBatch(job)) {
        return parts_.admission->ReportRunning(job.id);
      }
      if (request.state() == v1::APP_STATE_READY && IsLinkedJob(job)) {
        return parts_.admission->ReportJoined(job.id);
      }
      return MakeError(rpc_service_messages::kAgentJobStateInvalid,
                       {{"state", static_cast<int>(request.state())}});
    }
    ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                     AppsOf(job, *parts_.config, *parts_.images));
    const bool known =
        HasStep(job, request.app()) ||
        std::any_of(apps.begin(), apps.end(),
                    [&](const App* app) { return app->id == request.app(); });
    const std::optional<JobAppState> state = StateOf(request.state());
    if (!known) {
      return MakeError(rpc_service_messages::kAgentAppUnknown,
                       {{"app", PlainText(request.app(), 32)}});
    }
    if (!state.has_value()) {
      return MakeError(rpc_service_messages::kAgentAppStateInvalid,
                       {{"state", static_cast<int>(request.state())}});
    }
    return parts_.admission->ReportApp(
        job.id, {request.app(), *state, DetailOf(request)}, task);
  }

  absl::Status AddLogLines(const v1::ReportLogRequest& request,
                           const std::string& peer, AuditEvent* event) {
    constexpr char kMethod[] = "/carme.v1.AgentService/ReportLog";
    if (request.slurm_job_id() == 0) {
      event->subject = "hooks";
      ASSIGN_OR_RETURN(const Uid uid, Verify(kMethod, request, event));
      return log_reports_.AddOfHooks(request, uid, peer);
    }
    absl::StatusOr<Job> job = Admit(kMethod, request, peer, event);
    // Errors while Slurm ends the job.
    if (absl::IsPermissionDenied(job.status()) && event->actor_uid != kNoUid) {
      job = parts_.admission->OwnersJob(
          {.slurm_job = SlurmJobId(request.slurm_job_id()),
           .uid = event->actor_uid,
           .peer_address = peer});
    }
    RETURN_IF_ERROR(job.status());
    return log_reports_.AddOfAgent(request, *job);
  }

  absl::Status AddVetRun(const v1::ReportVetRunRequest& request,
                         const std::string& peer, AuditEvent* event) {
    constexpr char kMethod[] = "/carme.v1.AgentService/ReportVetRun";
    RETURN_IF_ERROR(parts_.audit->Ready());
    if (request.slurm_job_id() == 0) {
      event->subject = request.nodes_size() == 1
                           ? Readable(request.nodes(0).node(), kMaxNodeBytes)
                           : "hooks";
      ASSIGN_OR_RETURN(const Uid uid, Verify(kMethod, request, event));
      return vet_reports_.AddOfRoot(request, uid, peer);
    }
    ASSIGN_OR_RETURN(const Job job, Admit(kMethod, request, peer, event));
    return vet_reports_.AddOfJob(request, job);
  }

  absl::StatusOr<bool> ReadVetRequest(const v1::GetVetRequestRequest& request,
                                      const std::string& peer,
                                      AuditEvent* event) {
    ASSIGN_OR_RETURN(
        const Uid uid,
        Verify("/carme.v1.AgentService/GetVetRequest", request, event));
    return vet_reports_.IsRequested(request.node(), uid, peer);
  }

  absl::Status TakeImage(const v1::ReportImageRequest& request,
                         const std::string& peer, AuditEvent* event) {
    ASSIGN_OR_RETURN(const Job job, Admit("/carme.v1.AgentService/ReportImage",
                                          request, peer, event));
    const bool failed = !request.problem().empty();
    if (!failed && (!IsImageFolder(request.path()) ||
                    !IsDigest(request.sha256()) || request.size_bytes() <= 0)) {
      return MakeError(rpc_service_messages::kAgentImageReportInvalid);
    }
    const absl::StatusOr<ImageWork> work =
        parts_.images->WorkOf(job.spec.builds, job.owner_uid, job.id);
    if (!work.ok()) return absl::PermissionDeniedError(work.status().message());
    if (failed) log_reports_.AddImageFailure(job, request.problem());
    if (work->kind != ImageWork::Kind::kBuild) {
      return TakeFile(*work, request, job);
    }
    const absl::Status written =
        parts_.images
            ->Change(
                job.spec.builds,
                [&](ImageRecord* record) -> absl::Status {
                  // Another report or an administrator was faster.
                  if (record->state != v1::IMAGE_STATE_BUILDING) {
                    return MakeError(rpc_service_messages::kAgentImageExists);
                  }
                  record->build_job = job.id;
                  record->state =
                      failed ? v1::IMAGE_STATE_FAILED : v1::IMAGE_STATE_ACTIVE;
                  record->problem =
                      Readable(request.problem(), kMaxProblemBytes);
                  if (failed) return absl::OkStatus();
                  record->image.path = request.path();
                  record->image.sha256 = request.sha256();
                  record->size_bytes = request.size_bytes();
                  return absl::OkStatus();
                })
            .status();
    return written.ok() ? written : absl::UnavailableError(written.message());
  }

  // The result of a job that read or copied the file of an image.
  absl::Status TakeFile(const ImageWork& work,
                        const v1::ReportImageRequest& request, const Job& job) {
    const CopiedImage copied{
        .path = request.path(),
        .sha256 = request.sha256(),
        .size_bytes = request.size_bytes(),
        .problem = Readable(request.problem(), kMaxProblemBytes)};
    const absl::Status written =
        parts_.images
            ->Change(job.spec.builds,
                     [&](ImageRecord* record) -> absl::Status {
                       if (work.kind == ImageWork::Kind::kStage) {
                         ApplyStagedReport(copied, record);
                       } else if (work.kind == ImageWork::Kind::kStore) {
                         ApplyStoredReport(parts_.config->shared_images, copied,
                                           record);
                       } else {
                         TakeCheck(request, copied.problem, record);
                       }
                       return absl::OkStatus();
                     })
            .status();
    return written.ok() ? written : absl::UnavailableError(written.message());
  }

  // A recorded digest is valid until an administrator records another.
  void TakeCheck(const v1::ReportImageRequest& request, std::string problem,
                 ImageRecord* record) const {
    std::string& sha256 = record->image.sha256;
    if (problem.empty() && request.path() != record->image.path) {
      problem = FormatMessage(rpc_service_messages::kAgentImagePathChanged);
    } else if (problem.empty() && !sha256.empty() &&
               sha256 != request.sha256()) {
      problem =
          FormatMessage(rpc_service_messages::kAgentImageDigestDiffers,
                        {{"found", request.sha256()}, {"expected", sha256}});
    }
    record->check = {.checked_at = parts_.clock->Now(), .problem = problem};
    if (problem.empty()) {
      sha256 = request.sha256();
      record->size_bytes = request.size_bytes();
    }
    // An image that was never measured successfully.
    if (record->state != v1::IMAGE_STATE_BUILDING &&
        record->state != v1::IMAGE_STATE_FAILED) {
      return;
    }
    record->state =
        problem.empty() ? v1::IMAGE_STATE_ACTIVE : v1::IMAGE_STATE_FAILED;
    record->problem = problem;
  }

  // The audit log has the reason. The caller may be any process on a node, so
  // the response only shows whether to retry.
  static absl::Status ClientError(const absl::Status& status) {
    switch (status.code()) {
      case absl::StatusCode::kPermissionDenied:
        return MakeError(rpc_service_messages::kAgentNotAdmitted);
      case absl::StatusCode::kOk:
      case absl::StatusCode::kInvalidArgument:
      case absl::StatusCode::kFailedPrecondition:
        return status;
      default:
        return MakeError(rpc_service_messages::kAgentVerificationUnavailable);
    }
  }
  static grpc::Status Answer(const absl::Status& status) {
    return ToGrpc(ClientError(status));
  }

  const AgentServiceParts parts_;
  const AgentPlan plan_;
  LogReports log_reports_;
  VetReports vet_reports_;
  WatchJobStreams follow_;  // last: its threads use the other members
};

}  // namespace

std::unique_ptr<grpc::Service> NewAgentService(const AgentServiceParts& parts) {
  return std::make_unique<AgentService>(parts);
}

}  // namespace carme::backend
