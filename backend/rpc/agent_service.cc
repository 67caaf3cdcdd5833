#include "backend/rpc/agent_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/node_address.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/caller.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/grpc_status.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

// A certificate outlives its job by this, for clocks that differ and a job
// that takes its time to end.
constexpr absl::Duration kCertificateMargin = absl::Minutes(10);
constexpr uint32_t kLeastPort = 1024;
constexpr uint32_t kMostPort = 65535;

// The payload a credential for this call must carry; the proto says of what.
template <typename Request>
std::string PayloadOf(const std::string& method, Request request) {
  request.clear_munge();
  std::string bytes = method;
  bytes.push_back('\0');
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    request.SerializeToCodedStream(&coded);
  }
  return Sha256(bytes);
}

class AgentService : public v1::AgentService::Service {
 public:
  explicit AgentService(const AgentServiceParts& parts) : parts_(parts) {}

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
    if (status.ok() || IsLastWord(*request, event, status)) {
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

 private:
  template <typename Request>
  static AuditEvent EventOfAgent(const grpc::ServerContext& context,
                                 const char* act, const Request& request) {
    AuditEvent event = EventOf(context, CallerOf(context), act);
    event.source = PeerAddress(context);
    event.subject = absl::StrCat("Slurm job ", request.slurm_job_id());
    return event;
  }

  // The agent says that it ends while Slurm is ending its job: every normal
  // stop. Its uid is proved, the job is that uid's.
  bool IsLastWord(const v1::ReportStateRequest& request,
                  const AuditEvent& event, const absl::Status& status) const {
    return absl::IsPermissionDenied(status) &&
           request.state() == v1::APP_STATE_ENDED &&
           event.actor_uid != kNoUid &&
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
    const App* app = parts_.config->FindApp(admitted.spec.app);
    if (app == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("app \"", admitted.spec.app, "\" is not offered now"));
    }
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
    FillResponse(admitted, *app, response);
    return absl::OkStatus();
  }

  void FillResponse(const Job& job, const App& app,
                    v1::RegisterResponse* response) const {
    response->set_job_id(job.id.value());
    response->set_app(app.id);
    response->set_proxy_ca_pem(parts_.proxy_ca_pem());
    response->set_proxy_crl_pem(parts_.proxy_crl_pem());
    response->set_proxy_name(parts_.proxy_name);
    response->set_ticket_public_key(parts_.ticket_public_key);
    for (const std::string& word : app.command) response->add_command(word);
    response->set_ready_path(app.ready_path);
    response->set_public_host(
        absl::StrCat(job.id.value(), ".", parts_.config->jobs_domain));
  }

  absl::Status TakeReport(const v1::ReportStateRequest& request,
                          const std::string& peer, AuditEvent* event) {
    ASSIGN_OR_RETURN(const Job job, Admit("/carme.v1.AgentService/ReportState",
                                          request, peer, event));
    switch (request.state()) {
      case v1::APP_STATE_READY:
        return parts_.admission->ReportReady(job.id);
      case v1::APP_STATE_ENDED:
        return parts_.admission->ReportEnded(job.id, request.detail());
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("state is ", static_cast<int>(request.state()),
                         ": expected READY or ENDED"));
    }
  }

  // The audit log has the reason; the caller, who may be anybody on a node,
  // hears only whose move it is.
  static grpc::Status Answer(const absl::Status& status) {
    switch (status.code()) {
      case absl::StatusCode::kOk:
        return grpc::Status::OK;
      case absl::StatusCode::kPermissionDenied:
        return ToGrpc(absl::PermissionDeniedError(
            "this is not the agent of a running job: see the backend's log"));
      case absl::StatusCode::kInvalidArgument:
      case absl::StatusCode::kFailedPrecondition:
        return ToGrpc(status);
      default:
        return ToGrpc(absl::UnavailableError(
            "the agent cannot be checked now: try again"));
    }
  }

  const AgentServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAgentService(const AgentServiceParts& parts) {
  return std::make_unique<AgentService>(parts);
}

}  // namespace carme
