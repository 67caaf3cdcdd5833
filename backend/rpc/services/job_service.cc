#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/session.h"
#include "backend/images/image_versions.h"
#include "backend/jobs/agents/job_apps.h"
#include "backend/jobs/agents/ticket_signer.h"
#include "backend/jobs/diagnosis/start_estimator.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/announcements/notice_versions.h"
#include "backend/rpc/convert/job_filter.h"
#include "backend/rpc/convert/log_text.h"
#include "backend/rpc/server/dispatched_stream.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "common/clock.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxKeyBytes = 64;

absl::Status CheckKey(const std::string& key) {
  const bool printable = std::all_of(
      key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable && key.size() <= kMaxKeyBytes) return absl::OkStatus();
  return MakeError(rpc_service_messages::kJobIdempotencyKeyInvalid,
                   {{"bytes", key.size()}, {"max", kMaxKeyBytes}});
}

// Refuses fields that only the backend itself sets.
absl::Status CheckSpec(const v1::JobSpec& spec) {
  if (spec.builds().empty()) return absl::OkStatus();
  return MakeError(rpc_service_messages::kJobBuildsNotAllowed);
}

// Fills the message, with what depends on its reader.
void FillFor(const Session& reader, const Job& job, Jobs& jobs,
             v1::Job* message) {
  Fill(job, message);
  message->set_cluster(jobs.config().cluster);
  const absl::Duration more = jobs.extensions().ExtendableBy(reader, job);
  if (more > absl::ZeroDuration()) {
    Fill(more, message->mutable_extendable_by());
  }
}

constexpr absl::Duration kHeartbeat = absl::Seconds(10);  // jobs.proto: 15
constexpr size_t kMaxWatchers = 64;                       // of one user

// What a stream of jobs announces besides jobs and the cluster.
struct AnnouncedVersions {
  uint64_t notices = 0;
  uint64_t health = 0;
  uint64_t images = 0;
  friend bool operator==(const AnnouncedVersions&,
                         const AnnouncedVersions&) = default;
};

// As ListImages and GetHealth decide what the reader sees.
AnnouncedVersions VersionsFor(const Session& reader,
                              const JobServiceParts& parts) {
  AnnouncedVersions versions;
  if (parts.notices != nullptr) {
    versions.notices = parts.notices->For(reader.uid);
  }
  if (parts.health != nullptr &&
      ReadsEverything(ReadingRole(reader, {"admin:read"}))) {
    versions.health = parts.health->version();
  }
  if (parts.image_versions != nullptr) {
    versions.images = parts.image_versions->For(
        reader.uid,
        ReadsEverything(ReadingRole(reader, {"images:read", "admin:read"})));
  }
  return versions;
}

class JobUpdateSource : public StreamSource<v1::WatchJobsResponse> {
 public:
  JobUpdateSource(const JobServiceParts& parts, Caller caller,
                  StreamDispatcher::Wake wake)
      : parts_(parts),
        caller_(std::move(caller)),
        subscription_(parts.jobs->feed().Subscribe(caller_.session.username,
                                                   std::move(wake))) {}

  absl::Status Check() override {
    if (parts_.clock->Now() < caller_.session.expires_at &&
        parts_.sessions->IsLive(caller_.session.id)) {
      return absl::OkStatus();
    }
    return MakeError(rpc_service_messages::kJobSessionEnded);
  }

  absl::StatusOr<bool> Next(bool heartbeat,
                            v1::WatchJobsResponse* message) override {
    JobUpdates updates = subscription_->Drain();
    const AnnouncedVersions announced = VersionsFor(caller_.session, parts_);
    const bool new_version =
        updates.cluster_version != version_ || announced != announced_;
    if (updates.lost || !begun_) {
      ASSIGN_OR_RETURN(updates.jobs,
                       parts_.jobs->List(caller_.session, caller_.request_id));
      begun_ = true;
      message->set_snapshot(true);
    } else if (updates.jobs.empty() && !new_version && !heartbeat) {
      return false;
    }
    for (const Job& job : updates.jobs) {
      FillFor(caller_.session, job, *parts_.jobs, message->add_jobs());
    }
    version_ = updates.cluster_version;
    message->set_cluster_version(version_);
    announced_ = announced;
    message->set_notice_version(announced.notices);
    message->set_health_version(announced.health);
    message->set_image_version(announced.images);
    return true;
  }

 private:
  const JobServiceParts& parts_;
  const Caller caller_;
  bool begun_ = false;
  uint64_t version_ = 0;
  AnnouncedVersions announced_;
  // Last, so that it is destroyed first: its wake refers to the stream.
  const std::unique_ptr<JobSubscription> subscription_;
};

// The stream of WatchJobs: a snapshot, then the changes. Ends with
// RESOURCE_EXHAUSTED when the user has too many streams. `parts` outlives the
// stream.
grpc::ServerWriteReactor<v1::WatchJobsResponse>* OpenJobUpdates(
    const JobServiceParts& parts, grpc::CallbackServerContext* context,
    const Caller& caller) {
  if (parts.jobs->feed().WatchersOf(caller.session.username) >= kMaxWatchers) {
    const absl::Status refused =
        MakeError(rpc_service_messages::kJobTooManyWatchers);
    parts.audit->Record(
        Outcome(EventOf(*context, caller, "watch-jobs"), refused));
    return new RefusedStream<v1::WatchJobsResponse>(refused);
  }
  return OpenStream<v1::WatchJobsResponse>(
      parts.dispatcher, context, kHeartbeat,
      [&](const StreamDispatcher::Wake& wake) {
        return std::make_unique<JobUpdateSource>(parts, caller, wake);
      });
}

absl::Status CheckOpen(Jobs& jobs, const Job& job, const std::string& app) {
  if (!job.spec.linked_to.empty()) {
    return MakeError(rpc_service_messages::kJobOfAdditionalNodesHasNoApp);
  }
  if (IsBatch(job)) {
    return MakeError(rpc_service_messages::kJobOfBatchHasNoApp);
  }
  // A job that is not ready can be opened: the proxy shows its status.
  if (job.state == v1::JOB_STATE_STOPPING || HasEnded(job)) {
    return MakeError(rpc_service_messages::kJobOpenedAfterEnd);
  }
  if (app.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                   AppsOf(job, jobs.config(), jobs.images()));
  std::vector<std::string> ids;
  for (const App* offered : apps) {
    if (offered->id == app) return absl::OkStatus();
    ids.push_back(offered->id);
  }
  return MakeError(rpc_service_messages::kJobAppUnknown,
                   {{"apps", absl::StrJoin(ids, ", ")}});
}

// The job, if the caller may open this app in it. An empty `app` is the job's
// own. FAILED_PRECONDITION: the job has no such app, or it has ended.
absl::StatusOr<Job> JobToOpen(const JobServiceParts& parts, const JobId& id,
                              const std::string& app, const Caller& caller) {
  RETURN_IF_ERROR(parts.audit->Ready());
  RETURN_IF_ERROR(parts.sessions->CheckGrants());
  ASSIGN_OR_RETURN(Job job,
                   parts.jobs->Get(caller.session, id, caller.request_id));
  RETURN_IF_ERROR(CheckOpen(*parts.jobs, job, app));
  return job;
}

// Contains a ticket that is valid for seconds.
std::string AddressToOpen(const JobServiceParts& parts, const Job& job,
                          const std::string& app, const Caller& caller) {
  const absl::Time now = parts.clock->Now();
  // The grant ends with the job. A pending job has no known end.
  const absl::Time end =
      job.ends_at ? parts.jobs->extensions().LatestEnd(job, *job.ends_at)
                  : absl::InfiniteFuture();
  const JobsConfig& config = parts.jobs->config();
  const App* const offered = config.FindApp(app);
  const GrantedUse use{.job = job.id,
                       .app = app,
                       .host_label = HostLabelOf(job, app),
                       .whole_path = offered != nullptr && NamesBase(*offered),
                       .session = caller.session.id,
                       .user = job.owner,
                       .expires_at = std::min(caller.session.expires_at, end)};
  return absl::StrCat(
      "https://", PublicHostOf(job, app, config), BasePathOf(job, app, config),
      ".carme/open?ticket=", parts.signer->MakeTicket(use, now));
}

using Base =
    v1::JobService::WithCallbackMethod_WatchJobs<v1::JobService::Service>;

// WatchJobs uses gRPC's callback API; the rest, which may block for Slurm or
// the disk, the synchronous one with its threads.
class JobService : public Base {
 public:
  explicit JobService(const JobServiceParts& parts) : parts_(parts) {}

  grpc::Status PreviewJob(grpc::ServerContext* context,
                          const v1::PreviewJobRequest* request,
                          v1::PreviewJobResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status may = CheckSpec(request->spec());
    if (!may.ok()) return ToGrpc(may);
    const Decision decision =
        parts_.jobs->Preview(caller.session, SpecOf(request->spec()));
    Fill(decision.spec, response->mutable_spec());
    for (const Violation& violation : decision.violations) {
      Fill(violation, response->add_violations());
    }
    if (decision.violations.empty()) {
      AddStartEstimate(caller, SpecOf(request->spec()), decision, response);
    }
    return grpc::Status::OK;
  }

  grpc::Status SubmitJob(grpc::ServerContext* context,
                         const v1::SubmitJobRequest* request,
                         v1::SubmitJobResponse* response) override {
    const Caller caller = CallerOf(*context);
    absl::Status may = CheckKey(request->idempotency_key());
    if (may.ok()) may = CheckSpec(request->spec());
    if (may.ok()) may = parts_.audit->Ready();
    const absl::StatusOr<Job> job =
        may.ok() ? parts_.jobs->Submit(caller.session, SpecOf(request->spec()),
                                       request->idempotency_key(),
                                       EventOf(*context, caller, "submit"))
                 : may;
    RecordAct("submit", JobId(), job, caller, *context);
    return Answer(caller, job, response);
  }

  grpc::Status ListJobs(grpc::ServerContext* context,
                        const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    const Caller caller = CallerOf(*context);
    auto jobs = parts_.jobs->List(caller.session, caller.request_id);
    if (!jobs.ok()) return ToGrpc(jobs.status());
    const absl::StatusOr<std::string> next = CutJobs(*request, &*jobs);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const Job& job : *jobs) {
      FillFor(caller.session, job, *parts_.jobs, response->add_jobs());
    }
    return grpc::Status::OK;
  }

  grpc::Status GetJob(grpc::ServerContext* context,
                      const v1::GetJobRequest* request,
                      v1::GetJobResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(caller,
                  parts_.jobs->Get(caller.session, JobId(request->job_id()),
                                   caller.request_id),
                  response);
  }

  grpc::Status StopJob(grpc::ServerContext* context,
                       const v1::StopJobRequest* request,
                       v1::StopJobResponse* response) override {
    const Caller caller = CallerOf(*context);
    const JobId id(request->job_id());
    // A stop only frees resources, so it must not fail when the audit table
    // cannot be written: the journal has the entry at once, the table later.
    const bool recordable = parts_.audit->Ready().ok();
    const absl::StatusOr<Job> job =
        parts_.jobs->Stop(caller.session, id, caller.request_id);
    const AuditLog::Ticket entry =
        RecordAct("cancel", id, job, caller, *context);
    // A repeated stop does not wait for the audit entry.
    if (recordable && job.ok() && !HasEnded(*job)) {
      parts_.audit->Wait(entry).IgnoreError();
    }
    return Answer(caller, job, response);
  }

  grpc::Status ExtendJob(grpc::ServerContext* context,
                         const v1::ExtendJobRequest* request,
                         v1::ExtendJobResponse* response) override {
    const Caller caller = CallerOf(*context);
    const JobId id(request->job_id());
    const absl::Duration by = absl::Seconds(request->by().seconds()) +
                              absl::Nanoseconds(request->by().nanos());
    absl::Status may = CheckKey(request->idempotency_key());
    if (may.ok()) may = parts_.audit->Ready();
    const absl::StatusOr<Job> job =
        may.ok()
            ? parts_.jobs->Extend(caller.session, id, by,
                                  request->idempotency_key(), caller.request_id)
            : may;
    const AuditLog::Ticket entry =
        RecordAct("extend", id, job, caller, *context);
    if (job.ok()) parts_.audit->Wait(entry).IgnoreError();
    return Answer(caller, job, response);
  }

  grpc::Status HoldJob(grpc::ServerContext* context,
                       const v1::HoldJobRequest* request,
                       v1::HoldJobResponse* response) override {
    return Change("hold", &Jobs::Hold, context, request->job_id(), response);
  }
  grpc::Status ReleaseJob(grpc::ServerContext* context,
                          const v1::ReleaseJobRequest* request,
                          v1::ReleaseJobResponse* response) override {
    return Change("release", &Jobs::Release, context, request->job_id(),
                  response);
  }
  grpc::Status KeepAliveJob(grpc::ServerContext* context,
                            const v1::KeepAliveJobRequest* request,
                            v1::KeepAliveJobResponse* response) override {
    return Change("keep", &Jobs::KeepAlive, context, request->job_id(),
                  response);
  }

  using Base::WatchJobs;
  grpc::ServerWriteReactor<v1::WatchJobsResponse>* WatchJobs(
      grpc::CallbackServerContext* context,
      const v1::WatchJobsRequest* /*request*/) override {
    const Caller caller = CallerOf(*context);
    return OpenJobUpdates(parts_, context, caller);
  }

  grpc::Status OpenApp(grpc::ServerContext* context,
                       const v1::OpenAppRequest* request,
                       v1::OpenAppResponse* response) override {
    const Caller caller = CallerOf(*context);
    const JobId id(request->job_id());
    const absl::StatusOr<Job> job =
        JobToOpen(parts_, id, request->app(), caller);
    RecordAct("open-app", id, job, caller, *context);
    if (!job.ok()) return ToGrpc(job.status());
    parts_.jobs->idle()
        .KeepAlive(id)
        .IgnoreError();  // opening an app is activity
    response->set_url(AddressToOpen(
        parts_, *job, request->app().empty() ? job->spec.app : request->app(),
        caller));
    return grpc::Status::OK;
  }

  grpc::Status GetLog(grpc::ServerContext* context,
                      const v1::GetLogRequest* request,
                      v1::GetLogResponse* response) override {
    const Caller caller = CallerOf(*context);
    std::optional<uint32_t> task;
    if (request->has_task()) task = request->task();
    const absl::StatusOr<LogText> log = parts_.jobs->ReadLog(
        caller.session, JobId(request->job_id()), request->app(),
        request->offset_bytes(), caller.request_id, task);
    if (!log.ok()) return ToGrpc(log.status());
    FillLog(*log, response);
    return grpc::Status::OK;
  }

 private:
  void AddStartEstimate(const Caller& caller, const JobSpec& asked,
                        const Decision& decision,
                        v1::PreviewJobResponse* response) const {
    if (parts_.start_estimator == nullptr) return;
    // Slurm cannot estimate when a dependency ends.
    if (!decision.dependencies.empty()) return;
    const Session& session = caller.session;
    const std::optional<StartEstimateSummary> estimate =
        parts_.start_estimator->Estimate(
            {.user = {session.username, session.uid},
             .asked = asked,
             .decision = decision,
             .decide =
                 [jobs = parts_.jobs, session](const JobSpec& spec) {
                   return jobs->PreviewAsKnown(session, spec);
                 },
             .request_id = caller.request_id});
    if (estimate) Fill(*estimate, response->mutable_start_estimate());
  }

  template <typename Response>
  grpc::Status Answer(const Caller& caller, const absl::StatusOr<Job>& job,
                      Response* response) const {
    if (!job.ok()) return ToGrpc(job.status());
    FillFor(caller.session, *job, *parts_.jobs, response->mutable_job());
    return grpc::Status::OK;
  }

  using JobAct = absl::StatusOr<Job> (Jobs::*)(const Session&, const JobId&,
                                               const std::string&);
  template <typename Response>
  grpc::Status Change(const char* name, JobAct act,
                      grpc::ServerContext* context, const std::string& job_id,
                      Response* response) const {
    const Caller caller = CallerOf(*context);
    const JobId id(job_id);
    const absl::Status ready = parts_.audit->Ready();
    const absl::StatusOr<Job> job =
        ready.ok() ? (parts_.jobs->*act)(caller.session, id, caller.request_id)
                   : ready;
    RecordAct(name, id, job, caller, *context);
    return Answer(caller, job, response);
  }

  // Submissions do not wait for this entry: their record and the entry "admit"
  // were written before. Tickets do not wait, because they expire within
  // seconds.
  AuditLog::Ticket RecordAct(const char* act, const JobId& id,
                             const absl::StatusOr<Job>& job,
                             const Caller& caller,
                             const grpc::ServerContext& context) const {
    AuditEvent event = Outcome(EventOf(context, caller, act), job.status());
    event.subject = job.ok() ? job->id.value() : id.value();
    if (job.ok() && job->slurm_id != SlurmJobId()) {
      event.result = absl::StrCat("ok: Slurm job ", job->slurm_id.value());
    } else if (job.ok()) {
      event.result = "ok: recorded, no response from Slurm yet";
    }
    return parts_.audit->Record(event);
  }

  const JobServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewJobService(const JobServiceParts& parts) {
  return std::make_unique<JobService>(parts);
}

}  // namespace carme::backend
