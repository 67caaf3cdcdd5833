#include "backend/rpc/agent_service.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/jobs/job_apps.h"
#include "backend/jobs/node_address.h"
#include "backend/rpc/agent_follow.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/caller.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/grpc_status.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/request_digest.h"
#include "common/status.h"

namespace carme {
namespace {

// A certificate outlives its job by this, for clocks that differ and a job
// that takes its time to end.
constexpr absl::Duration kCertificateMargin = absl::Minutes(10);
constexpr uint32_t kLeastPort = 1024;
constexpr uint32_t kMostPort = 65535;

// What a credential for this call must carry.
template <typename Request>
std::string PayloadOf(const std::string& method, Request request) {
  request.clear_munge();
  return RequestDigest(method, request);
}

// Reports are written to the disk, and may wait for Slurm; streams may not.
using Base =
    v1::AgentService::WithCallbackMethod_Follow<v1::AgentService::Service>;

absl::Status WrongState(const v1::ReportStateRequest& request,
                        const char* expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      "state is ", static_cast<int>(request.state()), ": expected ", expected));
}

std::optional<JobAppState> StateOf(v1::AppState state) {
  switch (state) {
    case v1::APP_STATE_STARTING:
      return JobAppState::kStarting;
    case v1::APP_STATE_READY:
      return JobAppState::kReady;
    case v1::APP_STATE_FAILED:
      return JobAppState::kFailed;
    case v1::APP_STATE_ENDED:
      return JobAppState::kStopped;
    default:
      return std::nullopt;
  }
}

void Fill(const App& app, const std::string& host, v1::AppPlan* plan) {
  plan->set_id(app.id);
  *plan->mutable_command() = {app.command.begin(), app.command.end()};
  plan->set_ready_path(app.ready_path);
  plan->set_public_host(host);
  plan->mutable_environment()->insert(app.environment.begin(),
                                      app.environment.end());
}

void Fill(const Image& image, const std::string& user,
          v1::EnvironmentPlan* plan) {
  plan->set_image_name(image.id);
  plan->mutable_environment()->insert(image.environment.begin(),
                                      image.environment.end());
  if (image.id == kNoImage) {
    plan->set_runtime(v1::RUNTIME_NONE);
    return;
  }
  plan->set_runtime(v1::RUNTIME_APPTAINER);
  plan->set_image(image.path);
  plan->set_image_sha256(image.sha256);
  for (const ImageMount& mount : image.mounts) {
    v1::Bind* bind = plan->add_binds();
    bind->set_source(absl::StrReplaceAll(mount.source, {{"{user}", user}}));
    bind->set_target(absl::StrReplaceAll(mount.target, {{"{user}", user}}));
    bind->set_read_only(mount.read_only);
  }
}

class AgentService : public Base {
 public:
  explicit AgentService(const AgentServiceParts& parts)
      : parts_(parts),
        follow_({parts.pump, parts.proxy_trust, [this](const JobId& job) {
                   return parts_.admission->IsLive(job);
                 }}) {}

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
    const absl::Status status = TakeReport(*request, event.source, &event);
    // A job's life is not an act of anybody's; a stranger's report is.
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

  using Base::Follow;
  grpc::ServerWriteReactor<v1::FollowResponse>* Follow(
      grpc::CallbackServerContext* context,
      const v1::FollowRequest* request) override {
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

  // An agent speaks while Slurm is ending its job: every normal stop. Its uid
  // is proved, the job is that uid's.
  template <typename Request>
  bool IsOwnersJob(const Request& request, const AuditEvent& event,
                   const absl::Status& status) const {
    return absl::IsPermissionDenied(status) && event.actor_uid != kNoUid &&
           parts_.admission->IsOwnersJob(
               {.slurm_job = SlurmJobId(request.slurm_job_id()),
                .uid = event.actor_uid,
                .peer_address = event.source});
  }

  // Fills in who it is, as far as it is proved.
  template <typename Request>
  absl::StatusOr<Job> Admit(const std::string& method, const Request& request,
                            const std::string& peer, AuditEvent* event) {
    ASSIGN_OR_RETURN(const Credential credential,
                     parts_.decoder->Decode(request.munge()));
    if (!EqualInConstantTime(credential.payload, PayloadOf(method, request))) {
      return absl::PermissionDeniedError(
          "credential was made for something else than this call");
    }
    event->actor_uid = credential.uid;
    ASSIGN_OR_RETURN(Job job,
                     parts_.admission->Admit(
                         {.slurm_job = SlurmJobId(request.slurm_job_id()),
                          .uid = credential.uid,
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
    if (request.port() < kLeastPort || request.port() > kMostPort) {
      return absl::InvalidArgumentError(absl::StrCat("port is ", request.port(),
                                                     ": expected ", kLeastPort,
                                                     " to ", kMostPort));
    }
    ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                     AppsOf(admitted, *parts_.config, *parts_.images));
    ASSIGN_OR_RETURN(
        const Image image,
        parts_.images->ForStart(admitted.spec.image, admitted.owner));
    const absl::Time now = parts_.clock->Now();
    const absl::Time end =
        admitted.ends_at.value_or(now + admitted.spec.walltime);
    ASSIGN_OR_RETURN(std::string certificate,
                     parts_.job_ca->Issue(request.csr_pem(), admitted.id, now,
                                          end + kCertificateMargin));
    RETURN_IF_ERROR(
        parts_.admission
            ->Register(admitted.id, {CanonicalAddress(peer),
                                     static_cast<int>(request.port())})
            .status());
    response->set_certificate_pem(std::move(certificate));
    FillResponse(admitted, apps, image, response);
    return absl::OkStatus();
  }

  void FillResponse(const Job& job, const std::vector<const App*>& apps,
                    const Image& image, v1::RegisterResponse* response) const {
    response->set_job_id(job.id.value());
    response->set_app(job.spec.app);
    const auto trust = parts_.proxy_trust();
    response->set_proxy_ca_pem(trust->ca_pem);
    response->set_proxy_crl_pem(trust->crl_pem);
    response->set_proxy_name(parts_.proxy_name);
    response->set_ticket_public_key(parts_.ticket_public_key);
    for (const App* app : apps) {
      Fill(*app, PublicHostOf(job, app->id, *parts_.config),
           response->add_apps());
    }
    Fill(image, job.owner, response->mutable_environment());
  }

  // Listening is not an act; a stranger's attempt is recorded.
  absl::StatusOr<JobId> AdmitFollower(const v1::FollowRequest& request,
                                      AuditEvent event) {
    const absl::StatusOr<Job> job =
        Admit("/carme.v1.AgentService/Follow", request, event.source, &event);
    if (job.ok()) return job->id;
    if (!IsOwnersJob(request, event, job.status())) {
      parts_.audit->Record(Outcome(std::move(event), job.status()));
    }
    return Told(job.status());
  }

  absl::Status TakeReport(const v1::ReportStateRequest& request,
                          const std::string& peer, AuditEvent* event) {
    ASSIGN_OR_RETURN(const Job job, Admit("/carme.v1.AgentService/ReportState",
                                          request, peer, event));
    if (request.app().empty()) {
      if (request.state() == v1::APP_STATE_ENDED) {
        return parts_.admission->ReportEnded(job.id, request.detail());
      }
      return WrongState(request, "ENDED");
    }
    ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                     AppsOf(job, *parts_.config, *parts_.images));
    const bool known =
        std::any_of(apps.begin(), apps.end(),
                    [&](const App* app) { return app->id == request.app(); });
    const std::optional<JobAppState> state = StateOf(request.state());
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the job has no app \"", PlainText(request.app(), 32), "\""));
    }
    if (!state.has_value()) return WrongState(request, "a state of an app");
    return parts_.admission->ReportApp(
        job.id, {request.app(), *state, request.detail()});
  }

  // The audit log has the reason; the caller, who may be anybody on a node,
  // hears only whose move it is.
  static absl::Status Told(const absl::Status& status) {
    switch (status.code()) {
      case absl::StatusCode::kPermissionDenied:
        return absl::PermissionDeniedError(
            "this is not the agent of a running job: see the backend's log");
      case absl::StatusCode::kOk:
      case absl::StatusCode::kInvalidArgument:
      case absl::StatusCode::kFailedPrecondition:
        return status;
      default:
        return absl::UnavailableError(
            "the agent cannot be checked now: try again");
    }
  }
  static grpc::Status Answer(const absl::Status& status) {
    return ToGrpc(Told(status));
  }

  const AgentServiceParts parts_;
  AgentFollow follow_;  // its threads use the others
};

}  // namespace

std::unique_ptr<grpc::Service> NewAgentService(const AgentServiceParts& parts) {
  return std::make_unique<AgentService>(parts);
}

}  // namespace carme
