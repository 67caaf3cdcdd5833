#include "backend/rpc/metrics/metrics_access_service.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "backend/jobs/model/job_owner.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/metrics/measured_job.h"
#include "backend/rpc/metrics/messages.h"
#include "backend/rpc/server/dispatched_stream.h"
#include "carme/v1/metrics_access.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// metrics_access.proto: 10
constexpr absl::Duration kHeartbeat = absl::Seconds(8);
constexpr size_t kMaxJobs = 1000;

// The jobs with a registered agent, and those that have ended since.
class MeasuredJobSource : public StreamSource<v1::WatchMeasuredJobsResponse> {
 public:
  MeasuredJobSource(const MetricsAccessParts& parts,
                    StreamDispatcher::Wake wake)
      : parts_(parts),
        subscription_(parts.routes->Subscribe(std::move(wake))) {}

  absl::Status Check() override { return absl::OkStatus(); }

  absl::StatusOr<bool> Next(bool heartbeat,
                            v1::WatchMeasuredJobsResponse* message) override {
    const RouteUpdates updates = subscription_->Drain();
    for (const auto& [id, endpoint] : updates.routes) {
      const std::optional<Job> job = parts_.jobs->active().Find(id);
      if (job) *message->add_running() = MeasuredJobOf(*job);
    }
    // A job whose agent is gone may end later.
    leaving_.insert(updates.removed.begin(), updates.removed.end());
    for (auto id = leaving_.begin(); id != leaving_.end();) {
      if (parts_.jobs->active().Has(*id)) {
        ++id;
        continue;
      }
      message->add_ended()->set_job_id(id->value());
      id = leaving_.erase(id);
    }
    if (updates.snapshot) {
      message->set_snapshot(true);
      message->set_job_ca_pem(parts_.job_ca_pem);
      message->set_assertion_public_key(parts_.assertion_public_key);
    }
    return heartbeat || updates.snapshot || message->running_size() > 0 ||
           message->ended_size() > 0;
  }

 private:
  const MetricsAccessParts& parts_;
  const std::unique_ptr<RouteSubscription> subscription_;
  std::set<JobId> leaving_;
};

using Base = v1::MetricsAccessService::WithCallbackMethod_WatchMeasuredJobs<
    v1::MetricsAccessService::Service>;

class MetricsAccessService : public Base {
 public:
  explicit MetricsAccessService(MetricsAccessParts parts)
      : parts_(std::move(parts)) {}

  using Base::WatchMeasuredJobs;
  grpc::ServerWriteReactor<v1::WatchMeasuredJobsResponse>* WatchMeasuredJobs(
      grpc::CallbackServerContext* context,
      const v1::WatchMeasuredJobsRequest* /*request*/) override {
    parts_.audit->Record(Outcome(
        EventOf(*context, CallerOf(*context), "watch-measured-jobs"), {}));
    return OpenStream<v1::WatchMeasuredJobsResponse>(
        parts_.dispatcher, context, kHeartbeat,
        [&](const StreamDispatcher::Wake& wake) {
          return std::make_unique<MeasuredJobSource>(parts_, wake);
        });
  }

  grpc::Status GetMeasuredJob(grpc::ServerContext* context,
                              const v1::GetMeasuredJobRequest* request,
                              v1::GetMeasuredJobResponse* response) override {
    const absl::StatusOr<Job> job = parts_.jobs->GetOfAnyOwner(
        JobId(request->job_id()), CallerOf(*context).request_id);
    if (!job.ok()) return ToGrpc(job.status());
    *response->mutable_job() = MeasuredJobOf(*job);
    return grpc::Status::OK;
  }

  grpc::Status AuthorizeMetrics(
      grpc::ServerContext* context, const v1::AuthorizeMetricsRequest* request,
      v1::AuthorizeMetricsResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<std::vector<Job>> jobs =
        JobsFor(*context, caller, *request);
    if (!jobs.ok()) return ToGrpc(jobs.status());
    for (const Job& job : *jobs) *response->add_jobs() = MeasuredJobOf(job);
    return grpc::Status::OK;
  }

 private:
  absl::StatusOr<Session> SessionOf(
      const v1::AuthorizeMetricsRequest& request) {
    if (!parts_.sessions->IsLive(SessionId(request.session_id()))) {
      return MakeError(rpc_metrics_messages::kSessionEnded);
    }
    const absl::StatusOr<Person> person =
        parts_.persons->LookUp(request.username());
    if (absl::IsNotFound(person.status())) {
      return MakeError(rpc_metrics_messages::kSessionEnded);
    }
    if (!person.ok()) return MakeError(rpc_metrics_messages::kPersonUnknown);
    Session session;
    session.id = SessionId(request.session_id());
    session.username = person->username;
    session.uid = person->uid;
    session.role = person->role;
    return session;
  }

  absl::StatusOr<std::vector<Job>> JobsFor(
      const grpc::ServerContext& context, const Caller& caller,
      const v1::AuthorizeMetricsRequest& request) {
    ASSIGN_OR_RETURN(const Session session, SessionOf(request));
    if (request.job_id().empty()) {
      ASSIGN_OR_RETURN(std::vector<Job> own,
                       parts_.jobs->List(session, caller.request_id));
      if (own.size() > kMaxJobs) own.resize(kMaxJobs);
      return own;
    }
    const absl::StatusOr<Job> job =
        parts_.jobs->GetOfAnyOwner(JobId(request.job_id()), caller.request_id);
    if (absl::IsNotFound(job.status())) {
      return MakeError(rpc_metrics_messages::kJobNotFound);
    }
    RETURN_IF_ERROR(job.status());
    if (IsOwner(session, *job)) return std::vector<Job>{*job};
    const absl::Status may = CheckOther(session, *job);
    AuditEvent event = EventOf(context, caller, "view-metrics");
    event.actor = session.username;
    event.actor_uid = session.uid;
    event.subject = job->id.value();
    event.session_id = session.id.value();
    parts_.audit->Record(Outcome(std::move(event), may));
    RETURN_IF_ERROR(may);
    return std::vector<Job>{*job};
  }

  // Whether the caller may see the job of another person, as in the history.
  absl::Status CheckOther(const Session& session, const Job& job) const {
    if (session.role == Role::kSupport || session.role == Role::kAdmin) {
      return absl::OkStatus();
    }
    if (!job.spec.project.empty()) {
      ASSIGN_OR_RETURN(const std::vector<ProjectMembership> memberships,
                       parts_.projects->MembershipsOf(session.uid, false));
      const bool manages =
          std::any_of(memberships.begin(), memberships.end(),
                      [&](const ProjectMembership& row) {
                        return row.project == job.spec.project && row.manages;
                      });
      if (manages) return absl::OkStatus();
    }
    return MakeError(rpc_metrics_messages::kJobNotFound);
  }

  const MetricsAccessParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewMetricsAccessService(
    MetricsAccessParts parts) {
  return std::make_unique<MetricsAccessService>(std::move(parts));
}

}  // namespace carme::backend
