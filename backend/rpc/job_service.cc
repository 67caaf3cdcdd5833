#include "backend/rpc/job_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/job_proto.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/caller.h"
#include "backend/rpc/job_filter.h"
#include "backend/rpc/job_news.h"
#include "backend/rpc/job_opening.h"
#include "backend/rpc/log_text.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "common/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestKey = 64;

absl::Status CheckKey(const std::string& key) {
  const bool printable = std::all_of(
      key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable && key.size() <= kLongestKey) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "idempotencyKey has ", key.size(), " bytes: expected at most ",
      kLongestKey, " printable ASCII characters"));
}

// What only Carme itself asks for.
absl::Status CheckSpec(const v1::JobSpec& spec) {
  if (spec.builds().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "builds is given: expected ImageService.ImportImage to be called");
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
      Foresee(caller, SpecOf(request->spec()), decision, response);
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
    // A stop frees resources and takes nothing from anyone, so it does not
    // need the audit table: the journal has the entry at once, the table when
    // it can be written again.
    const bool recordable = parts_.audit->Ready().ok();
    const absl::StatusOr<Job> job =
        parts_.jobs->Stop(caller.session, id, caller.request_id);
    const AuditLog::Ticket entry =
        RecordAct("cancel", id, job, caller, *context);
    // In a loop there is nothing to wait for.
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
  grpc::Status KeepJob(grpc::ServerContext* context,
                       const v1::KeepJobRequest* request,
                       v1::KeepJobResponse* response) override {
    return Change("keep", &Jobs::Keep, context, request->job_id(), response);
  }

  using Base::WatchJobs;
  grpc::ServerWriteReactor<v1::WatchJobsResponse>* WatchJobs(
      grpc::CallbackServerContext* context,
      const v1::WatchJobsRequest* /*request*/) override {
    const Caller caller = CallerOf(*context);
    return OpenJobNews(parts_, context, caller);
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
    parts_.jobs->idle().Keep(id).IgnoreError();  // somebody is there
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
        request->offset(), caller.request_id, task);
    if (!log.ok()) return ToGrpc(log.status());
    FillLog(*log, response);
    return grpc::Status::OK;
  }

 private:
  void Foresee(const Caller& caller, const JobSpec& asked,
               const Decision& decision,
               v1::PreviewJobResponse* response) const {
    if (parts_.forecaster == nullptr) return;
    // Slurm foresees no end of a job that is waited for.
    if (!decision.dependencies.empty()) return;
    const Session& session = caller.session;
    const std::optional<Forecast> forecast = parts_.forecaster->Foresee(
        {.user = {session.username, session.uid},
         .asked = asked,
         .decision = decision,
         .decide =
             [jobs = parts_.jobs, session](const JobSpec& spec) {
               return jobs->PreviewAsKnown(session, spec);
             },
         .request_id = caller.request_id});
    if (forecast) Fill(*forecast, response->mutable_forecast());
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

  // A submission's is not waited for: its record and its entry "admit" were
  // there before Slurm was asked; this one adds what came of it. A ticket is
  // worth nothing after seconds.
  AuditLog::Ticket RecordAct(const char* act, const JobId& id,
                             const absl::StatusOr<Job>& job,
                             const Caller& caller,
                             const grpc::ServerContext& context) const {
    AuditEvent event = Outcome(EventOf(context, caller, act), job.status());
    event.subject = job.ok() ? job->id.value() : id.value();
    if (job.ok() && job->slurm_id != SlurmJobId()) {
      event.result = absl::StrCat("ok: Slurm job ", job->slurm_id.value());
    } else if (job.ok()) {
      event.result = "ok: recorded, Slurm's answer is not known yet";
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
