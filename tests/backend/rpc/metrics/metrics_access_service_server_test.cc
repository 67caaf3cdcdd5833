// Which jobs a person may see the metrics of, as carme-metrics asks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/history/history.h"
#include "backend/rpc/metrics/metrics_access_service.h"
#include "carme/v1/metrics_access.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

// Bob manages one project.
class FakeMemberships : public ProjectMemberships {
 public:
  absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
      Uid uid, bool) const override {
    if (uid != Uid(20002)) return std::vector<ProjectMembership>{};
    return std::vector<ProjectMembership>{
        {.project = project, .manages = true, .is_active = true},
        {.project = "another", .is_member = true, .is_active = true}};
  }
  std::string project = "none";
};

class Served : public JobCalls {
 public:
  // The service of the jobs as they are now.
  void Open() {
    history_ =
        std::make_unique<History>(History::Parts{.database = database_.get(),
                                                 .reading = database_.get(),
                                                 .clock = &clock_,
                                                 .active = &jobs_->active(),
                                                 .projects = projects_,
                                                 .accounting = nullptr},
                                  HistoryConfig{});
    Serve(NewMetricsAccessService({.jobs = jobs_.get(),
                                   .history = history_.get(),
                                   .routes = routes_.get(),
                                   .sessions = &sessions_,
                                   .persons = &directory_,
                                   .projects = &memberships_,
                                   .dispatcher = &dispatcher_,
                                   .audit = audit_.get(),
                                   .job_ca_pem = "",
                                   .assertion_public_key = ""}),
          "metrics access");
    stub_ = v1::MetricsAccessService::NewStub(
        server_->Connect(Port::kClients, kMetricsNames));
  }
  ~Served() { Stop(); }

  // A job that has ended.
  std::string Ran(const Session& who, const JobSpec& spec = {}) {
    const Job job = Submit(who, "", spec).value();
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    clock_.Advance(absl::Minutes(10));
    slurm_.End(job.slurm_id, SlurmState::kCompleted);
    slurm_.Poll();
    jobs_->active().FlushEnds(who.username);
    return job.id.value();
  }
  grpc::Status Ask(const std::string& username,
                   const std::vector<std::string>& ids) {
    CallBy call("");
    v1::AuthorizeMetricsRequest request;
    request.set_username(username);
    request.set_session_id("session");
    *request.mutable_job_ids() = {ids.begin(), ids.end()};
    return stub_->AuthorizeMetrics(&call, request, &answer_);
  }
  std::set<std::string> Visible(const std::string& username,
                                const std::vector<std::string>& ids) {
    REQUIRE_THAT(Ask(username, ids), IsOk());
    std::set<std::string> visible;
    for (const v1::MeasuredJob& job : answer_.jobs()) {
      visible.insert(job.job_id());
    }
    return visible;
  }
  grpc::Status AskForOne(const std::string& username, const std::string& id) {
    CallBy call("");
    v1::AuthorizeMetricsRequest request;
    request.set_username(username);
    request.set_session_id("session");
    request.set_job_id(id);
    return stub_->AuthorizeMetrics(&call, request, &answer_);
  }

  FakeMemberships memberships_;
  std::unique_ptr<History> history_;
  v1::AuthorizeMetricsResponse answer_;
  std::unique_ptr<v1::MetricsAccessService::Stub> stub_;
};

TEST_CASE("metrics access: refuses ended sessions and too many ids",
          "[backend]") {
  Served served;
  served.Open();
  std::vector<std::string> many;
  for (int i = 0; i < 101; ++i) {
    many.push_back(absl::StrCat("jaaaaaaaaaaaa", 100 + i));
  }
  CHECK_THAT(served.Ask("ada", many),
             StatusIs(grpc::StatusCode::INVALID_ARGUMENT));
  REQUIRE_THAT(served.sessions_.End(SessionId("session")), IsOk());
  CHECK_THAT(served.Ask("ada", {"jaaaaaaaaaaaaaaa"}),
             StatusIs(grpc::StatusCode::UNAUTHENTICATED));
}

TEST_CASE("metrics access: streams batch jobs, and when they end",
          "[backend]") {
  Served served;
  served.Open();
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true"};
  const Job job = served.Submit(served.ada_, "", spec).value();
  served.slurm_.Run(job.slurm_id);
  served.slurm_.Poll();
  grpc::ClientContext call;
  call.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
  const auto stream = served.stub_->WatchMeasuredJobs(&call, {});
  v1::WatchMeasuredJobsResponse message;
  REQUIRE(stream->Read(&message));
  CHECK(message.snapshot());
  REQUIRE(message.running_size() == 1);
  CHECK(message.running(0).job_id() == job.id.value());
  served.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  served.slurm_.Poll();
  do {
    REQUIRE(stream->Read(&message));
    CHECK(message.running().empty());  // only once
  } while (message.ended().empty());
  CHECK(message.ended(0).job_id() == job.id.value());
  call.TryCancel();
}

TEST_CASE(
    "metrics access: streams no nodes of an array, whose tasks change them",
    "[backend]") {
  Served served;
  served.Open();
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true", .array = "0-3"};
  const Job job = served.Submit(served.ada_, "", spec).value();
  SlurmJob slurm =
      SlurmJobOf(job.slurm_id, job.id, served.ada_.uid, SlurmState::kRunning);
  slurm.array = job.slurm_id;
  slurm.task = 0;
  slurm.nodes = {"a1"};
  served.slurm_.Put(slurm);
  served.slurm_.Poll();
  grpc::ClientContext call;
  call.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
  const auto stream = served.stub_->WatchMeasuredJobs(&call, {});
  v1::WatchMeasuredJobsResponse message;
  REQUIRE(stream->Read(&message));
  REQUIRE(message.running_size() == 1);
  CHECK(message.running(0).nodes().empty());
  call.TryCancel();
}

TEST_CASE("metrics access: streams a job again when it has returned a node",
          "[backend]") {
  Served served;
  served.Open();
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true"};
  const Job job = served.Submit(served.ada_, "", spec).value();
  SlurmJob slurm =
      SlurmJobOf(job.slurm_id, job.id, served.ada_.uid, SlurmState::kRunning);
  slurm.nodes = {"a1", "a2"};
  served.slurm_.Put(slurm);
  served.slurm_.Poll();
  grpc::ClientContext call;
  call.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
  const auto stream = served.stub_->WatchMeasuredJobs(&call, {});
  v1::WatchMeasuredJobsResponse message;
  REQUIRE(stream->Read(&message));
  REQUIRE(message.running_size() == 1);
  CHECK(message.running(0).nodes_size() == 2);
  slurm.nodes = {"a1"};
  served.slurm_.Put(slurm);
  served.slurm_.Poll();
  do {
    REQUIRE(stream->Read(&message));
  } while (message.running().empty());
  REQUIRE(message.running_size() == 1);
  CHECK(message.running(0).job_id() == job.id.value());
  CHECK(message.running(0).nodes_size() == 1);
  call.TryCancel();
}

TEST_CASE("metrics access: leaves out jobs that the person may not see",
          "[backend]") {
  Served served;
  served.Open();
  const std::string project = served.AdasProject();
  const std::string own = served.Ran(served.ada_);
  const std::string shared = served.Ran(served.ada_, {.project = project});
  const std::string bobs = served.Ran(served.bob_);
  const std::vector<std::string> all = {own, shared, bobs, "jaaaaaaaaaaaaaaa",
                                        "x"};
  CHECK(served.Visible("ada", all) == std::set<std::string>{own, shared});
  CHECK(served.Visible("bob", all) == std::set<std::string>{bobs});
  // A manager sees the jobs of the project, which is audited.
  served.memberships_.project = project;
  CHECK(served.Visible("bob", all) == std::set<std::string>{bobs, shared});
  const std::vector<AuditEntry> entries = served.Entries();
  CHECK(std::count_if(entries.begin(), entries.end(), [](const auto& entry) {
          return entry.act == "view-metrics" && entry.actor == "bob" &&
                 entry.subject == "ada" && entry.decision == "allow";
        }) == 1);
}

TEST_CASE("metrics access: a job is found as long as the history has it",
          "[backend]") {
  Served served;
  const std::string id =
      served.Ran(served.ada_, {.walltime = absl::Minutes(30)});
  served.clock_.Advance(absl::Hours(24) * 100);
  served.jobs_->Sweep();
  served.Restart();
  served.Open();
  REQUIRE_THAT(served.jobs_->GetOfAnyOwner(JobId(id), "request"),
               StatusIs(absl::StatusCode::kNotFound));
  CHECK_THAT(served.AskForOne("bob", id),
             StatusIs(grpc::StatusCode::NOT_FOUND));
  REQUIRE_THAT(served.AskForOne("ada", id), IsOk());
  REQUIRE(served.answer_.jobs_size() == 1);
  const v1::MeasuredJob& job = served.answer_.jobs(0);
  CHECK(job.owner() == "ada");
  CHECK(job.result() == "completed");
  CHECK(job.walltime_s() == 1800);
  CHECK(job.ended_at_ms() - job.started_at_ms() == 600'000);
  CHECK(served.Visible("ada", {id}) == std::set<std::string>{id});
}

}  // namespace
}  // namespace carme::backend
