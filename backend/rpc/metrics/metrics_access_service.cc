#include "backend/rpc/metrics/metrics_access_service.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/jobs/feeds/job_status.h"
#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/metrics/measured_job.h"
#include "backend/rpc/metrics/messages.h"
#include "backend/rpc/metrics/node_findings.h"
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
constexpr int kMaxIds = 100;
constexpr int kMaxFindings = 200;

// As far as its metrics need it.
Job JobOf(const HistoryEntry& entry) {
  Job job;
  job.id = entry.id;
  job.owner = entry.owner;
  job.owner_uid = entry.owner_uid;
  job.spec = entry.spec;
  job.state = v1::JOB_STATE_ENDED;
  job.end = entry.end;
  job.slurm_id = entry.slurm_id;
  job.nodes = entry.nodes;
  job.created_at = entry.created_at;
  job.started_at = entry.started_at;
  job.ended_at = entry.ended_at;
  return job;
}

// The jobs with a registered agent, running jobs without an app to open, which
// have no route, those whose nodes have changed, and those that have ended
// since.
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
      if (job) AddRunning(*job, message);
    }
    // A job whose agent is gone may end later.
    unrouted_.insert(updates.removed.begin(), updates.removed.end());
    parts_.jobs->active().ForEach([&](const Job& job) {
      if (!IsRunning(job)) return;
      if (!HasAppToOpen(job) && unrouted_.insert(job.id).second) {
        return AddRunning(job, message);
      }
      // It has returned nodes to Slurm. The nodes of an array are those of its
      // tasks.
      const auto sent = sent_nodes_.find(job.id);
      if (sent != sent_nodes_.end() && !job.array &&
          sent->second != job.nodes) {
        AddRunning(job, message);
      }
    });
    for (auto id = unrouted_.begin(); id != unrouted_.end();) {
      if (parts_.jobs->active().Has(*id)) {
        ++id;
        continue;
      }
      message->add_ended()->set_job_id(id->value());
      sent_nodes_.erase(*id);
      id = unrouted_.erase(id);
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
  void AddRunning(const Job& job, v1::WatchMeasuredJobsResponse* message) {
    v1::MeasuredJob* const running = message->add_running();
    *running = MeasuredJobOf(job);
    // Those of the tasks that run now, which others follow on other nodes.
    if (job.array) running->clear_nodes();
    sent_nodes_[job.id] = job.nodes;
  }

  const MetricsAccessParts& parts_;
  const std::unique_ptr<RouteSubscription> subscription_;
  std::map<JobId, std::vector<std::string>> sent_nodes_;  // of running jobs
  std::set<JobId> unrouted_;  // whose end is looked for
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

  grpc::Status RecordNodeFindings(
      grpc::ServerContext* context,
      const v1::RecordNodeFindingsRequest* request,
      v1::RecordNodeFindingsResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    if (request->findings_size() > kMaxFindings) {
      return ToGrpc(MakeError(
          rpc_metrics_messages::kTooManyFindings,
          {{"findings", request->findings_size()}, {"max", kMaxFindings}}));
    }
    const absl::StatusOr<Job> job =
        parts_.jobs->GetOfAnyOwner(JobId(request->job_id()), caller.request_id);
    if (!job.ok()) return ToGrpc(job.status());
    if (parts_.node_history == nullptr) return grpc::Status::OK;
    return ToGrpc(
        ClientError(parts_.node_history->Record(NodeEntriesOf(*request, *job)),
                    caller, "history of nodes"));
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
    if (request.job_ids_size() > 0) {
      return VisibleJobs(context, caller, session, request);
    }
    if (request.job_id().empty()) {
      ASSIGN_OR_RETURN(std::vector<Job> own,
                       parts_.jobs->List(session, caller.request_id));
      if (own.size() > kMaxJobs) own.resize(kMaxJobs);
      return own;
    }
    ASSIGN_OR_RETURN(std::vector<Job> jobs,
                     Records({request.job_id()}, caller.request_id));
    if (jobs.empty()) return MakeError(rpc_metrics_messages::kJobNotFound);
    const Job& job = jobs.front();
    if (IsOwner(session, job)) return jobs;
    ASSIGN_OR_RETURN(const OthersJobs others, OthersJobsFor(session));
    const absl::Status may =
        others.Has(job) ? absl::OkStatus()
                        : MakeError(rpc_metrics_messages::kJobNotFound);
    Audit(context, caller, session, job.id.value(), may);
    RETURN_IF_ERROR(may);
    return jobs;
  }

  absl::StatusOr<std::vector<Job>> VisibleJobs(
      const grpc::ServerContext& context, const Caller& caller,
      const Session& session, const v1::AuthorizeMetricsRequest& request) {
    if (request.job_ids_size() > kMaxIds) {
      return MakeError(rpc_metrics_messages::kTooManyJobs, {{"max", kMaxIds}});
    }
    ASSIGN_OR_RETURN(
        const std::vector<Job> jobs,
        Records({request.job_ids().begin(), request.job_ids().end()},
                caller.request_id));
    ASSIGN_OR_RETURN(const OthersJobs others, OthersJobsFor(session));
    std::vector<Job> visible;
    std::set<std::string> owners;  // other persons
    for (const Job& job : jobs) {
      const bool is_own = IsOwner(session, job);
      if (!is_own && !others.Has(job)) continue;
      if (!is_own) owners.insert(job.owner);
      visible.push_back(job);
    }
    for (const std::string& owner : owners) {
      Audit(context, caller, session, owner, absl::OkStatus());
    }
    return visible;
  }

  // From the history, if the job is no longer among the jobs. Without those
  // that do not exist.
  absl::StatusOr<std::vector<Job>> Records(const std::vector<std::string>& ids,
                                           const std::string& request_id) {
    std::vector<Job> jobs;
    std::vector<JobId> ended;
    for (const std::string& id : ids) {
      absl::StatusOr<Job> job =
          parts_.jobs->GetOfAnyOwner(JobId(id), request_id);
      if (absl::IsNotFound(job.status())) {
        if (IsJobId(id)) ended.emplace_back(id);
        continue;
      }
      RETURN_IF_ERROR(job.status());
      jobs.push_back(*std::move(job));
    }
    ASSIGN_OR_RETURN(const std::vector<HistoryEntry> entries,
                     parts_.history->Find(ended));
    for (const HistoryEntry& entry : entries) jobs.push_back(JobOf(entry));
    return jobs;
  }

  // The jobs of other persons that a person may see, as in the history.
  struct OthersJobs {
    bool all = false;
    std::set<std::string> projects{};
    bool Has(const Job& job) const {
      return all || projects.contains(job.spec.project);
    }
  };
  absl::StatusOr<OthersJobs> OthersJobsFor(const Session& session) const {
    if (session.role == Role::kSupport || session.role == Role::kAdmin) {
      return OthersJobs{.all = true};
    }
    ASSIGN_OR_RETURN(const std::vector<ProjectMembership> memberships,
                     parts_.projects->MembershipsOf(session.uid, false));
    OthersJobs others;
    for (const ProjectMembership& row : memberships) {
      if (row.manages) others.projects.insert(row.project);
    }
    return others;
  }

  // `subject`: a job, or the owner of several.
  void Audit(const grpc::ServerContext& context, const Caller& caller,
             const Session& session, const std::string& subject,
             const absl::Status& may) const {
    AuditEvent event = EventOf(context, caller, "view-metrics");
    event.actor = session.username;
    event.actor_uid = session.uid;
    event.subject = subject;
    event.session_id = session.id.value();
    parts_.audit->Record(Outcome(std::move(event), may));
  }

  const MetricsAccessParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewMetricsAccessService(
    MetricsAccessParts parts) {
  return std::make_unique<MetricsAccessService>(std::move(parts));
}

}  // namespace carme::backend
