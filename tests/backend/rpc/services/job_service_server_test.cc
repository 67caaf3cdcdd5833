#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/announcements/announcements.h"
#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/session.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/agents/ticket_signer.h"
#include "backend/jobs/diagnosis/start_estimator.h"
#include "backend/jobs/jobs.h"
#include "backend/maintenance/maintenance.h"
#include "backend/notifications/event.h"
#include "backend/notifications/inbox.h"
#include "backend/rpc/announcements/notice_versions.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/routes.pb.h"
#include "common/clock.h"
#include "common/encoding.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

class Served : public JobCalls {
 public:
  explicit Served(int max_running_jobs = 0, absl::Duration longest = {},
                  const std::string& jobs_host = "")
      : JobCalls(max_running_jobs) {
    config_.life.longest_walltime = longest;
    if (!jobs_host.empty()) {
      config_.jobs_domain.clear();
      config_.jobs_host = jobs_host;
      config_.apps[0].command.emplace_back("--base={base}");
    }
    Restart();
    inbox_ = std::make_unique<Inbox>(database_.get(), &clock_);
    announcements_ = Announcements::Open({.database = database_.get(),
                                          .clock = &clock_,
                                          .person_lookup = nullptr,
                                          .directory = nullptr,
                                          .projects = nullptr})
                         .value();
    maintenance_ = Maintenance::Open({.database = database_.get(),
                                      .clock = &clock_,
                                      .reserver = nullptr,
                                      .audit = nullptr})
                       .value();
    notices_ = std::make_unique<NoticeVersions>(
        NoticeVersions::Parts{.database = database_.get(),
                              .clock = &clock_,
                              .inbox = inbox_.get(),
                              .announcements = announcements_.get(),
                              .maintenance = maintenance_.get()});
    health_.Add(v1::HEALTH_COMPONENT_MAIL, [this] {
      v1::ComponentHealth mail;
      mail.set_state(is_mail_down_ ? v1::HEALTH_STATE_DOWN
                                   : v1::HEALTH_STATE_OK);
      return mail;
    });
    Serve(NewJobService({.jobs = jobs_.get(),
                         .sessions = &sessions_,
                         .signer = &signer_,
                         .dispatcher = &dispatcher_,
                         .audit = audit_.get(),
                         .clock = &clock_,
                         .start_estimator = &start_estimator_,
                         .notices = notices_.get(),
                         .health = &health_,
                         .image_versions = &images_->versions()}),
          "jobs");
    stub_ = v1::JobService::NewStub(AsFrontend());
  }
  ~Served() { Stop(); }

  grpc::Status SubmitBy(const std::string& name, v1::SubmitJobRequest request,
                        v1::Job* job) {
    CallBy call(name);
    v1::SubmitJobResponse response;
    const grpc::Status status = stub_->SubmitJob(&call, request, &response);
    *job = response.job();
    return status;
  }

  std::unique_ptr<Inbox> inbox_;
  std::unique_ptr<Announcements> announcements_;
  std::unique_ptr<Maintenance> maintenance_;
  std::unique_ptr<NoticeVersions> notices_;
  std::atomic<bool> is_mail_down_ = false;
  HealthMonitor health_{&clock_};
  StartEstimator start_estimator_{&slurm_, &slurm_, &clock_,
                                  testing::kWaitTimeout};
  TicketSigner signer_ = TicketSigner::Open(dir_.File("seed")).value();
  std::unique_ptr<v1::JobService::Stub> stub_;
};

int ThreadsOfThisProcess() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int count = 0;
    if (word == "Threads:" && status >> count) return count;
  }
  return -1;
}

using testing::WaitFor;

TEST_CASE("job service: a refusal names the limit", "[backend]") {
  Served served;
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_gpus_per_node(8);
  v1::Job job;
  const grpc::Status status = served.SubmitBy("ada", request, &job);
  CHECK_THAT(status, StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  CHECK(status.error_message() ==
        "job requests 8 GPUs: role user allows at most 4 (max_gpus_per_job)");
  request.Clear();
  request.set_idempotency_key("line\nbreak");
  CHECK_THAT(served.SubmitBy("ada", request, &job),
             StatusIs(grpc::StatusCode::INVALID_ARGUMENT));
  request.set_idempotency_key(std::string(65, 'k'));
  CHECK_THAT(served.SubmitBy("ada", request, &job),
             StatusIs(grpc::StatusCode::INVALID_ARGUMENT));
  CHECK(served.slurm_.Jobs().empty());
}

TEST_CASE("job service: a preview returns violations, not an error",
          "[backend]") {
  Served served;
  v1::PreviewJobRequest request;
  request.mutable_spec()->set_gpus_per_node(8);
  v1::PreviewJobResponse response;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->PreviewJob(&call, request, &response), IsOk());
  REQUIRE(response.violations_size() == 1);
  CHECK(response.violations(0).field() == "gpusPerNode");
  CHECK(response.violations(0).limit() == "max_gpus_per_job");
  CHECK(response.violations(0).value() == "4");
  CHECK(response.violations(0).source() == "role user");
  CHECK(response.spec().walltime().seconds() == 3600);
}

TEST_CASE("job service: a refused spec has no start estimate", "[backend]") {
  Served served;
  int asked = 0;
  served.slurm_.set_foreseer([&](const Submission&) -> SlurmStartEstimate {
    ++asked;
    return {.starts_at = served.clock_.Now(), .nodes = {}};
  });
  v1::PreviewJobRequest request;
  request.mutable_spec()->set_gpus_per_node(8);
  v1::PreviewJobResponse response;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->PreviewJob(&call, request, &response), IsOk());
  CHECK_FALSE(response.has_start_estimate());
  CHECK(asked == 0);
}

TEST_CASE("job service: a preview estimates the start and alternatives",
          "[backend]") {
  Served served;
  served.slurm_.set_foreseer(
      [&](const Submission& submission) -> SlurmStartEstimate {
        const bool now = submission.gpus_per_node <= 2;
        return {.starts_at = served.clock_.Now() +
                             (now ? absl::ZeroDuration() : absl::Hours(2)),
                .nodes = {"a2"}};
      });
  v1::PreviewJobRequest request;
  request.mutable_spec()->set_gpus_per_node(4);
  v1::PreviewJobResponse response;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->PreviewJob(&call, request, &response), IsOk());
  const v1::StartEstimate& estimate = response.start_estimate();
  CHECK_FALSE(estimate.now());
  CHECK(estimate.starts_at().seconds() ==
        absl::ToUnixSeconds(served.clock_.Now() + absl::Hours(2)));
  CHECK(estimate.sentence() == "Starts in about 2 h on a2.");
  CHECK(estimate.alternative().gpus_per_node() == 2);
  CHECK(estimate.alternative_sentence() ==
        "With 2 GPUs instead of 4 it starts now.");
  // The alternative is one that the policy allows, and is as good as a spec.
  *request.mutable_spec() = estimate.alternative();
  CallBy again("ada");
  REQUIRE_THAT(served.stub_->PreviewJob(&again, request, &response), IsOk());
  CHECK(response.violations().empty());
  CHECK(response.start_estimate().sentence() == "Starts now on a2.");
  CHECK(served.slurm_.Jobs().empty());
}

TEST_CASE("job service: a pending job has Slurm's estimated start",
          "[backend]") {
  Served served;
  const Job job = served.Submit(served.ada_).value();
  SlurmJob slurm = served.slurm_.Jobs()[0];
  slurm.expected_start = served.clock_.Now() + absl::Hours(1);
  served.slurm_.Put(slurm);
  served.slurm_.Poll();
  v1::GetJobRequest get;
  get.set_job_id(job.id.value());
  v1::GetJobResponse got;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->GetJob(&call, get, &got), IsOk());
  CHECK(got.job().expected_start().seconds() ==
        absl::ToUnixSeconds(slurm.expected_start));
  CHECK(got.job().reason() == "other jobs are ahead in the queue");
}

TEST_CASE("job service: another user's job is NOT_FOUND for every rpc",
          "[backend]") {
  Served served;
  const Job job = served.Submit(served.bob_).value();
  v1::GetJobRequest get;
  v1::StopJobRequest stop;
  v1::OpenAppRequest open;
  get.set_job_id(job.id.value());
  stop.set_job_id(job.id.value());
  open.set_job_id(job.id.value());
  v1::GetJobResponse got;
  v1::StopJobResponse stopped;
  v1::OpenAppResponse opened;
  CallBy first("ada"), second("ada"), third("ada");
  for (const grpc::Status& status :
       {served.stub_->GetJob(&first, get, &got),
        served.stub_->StopJob(&second, stop, &stopped),
        served.stub_->OpenApp(&third, open, &opened)}) {
    CHECK_THAT(status, StatusIs(grpc::StatusCode::NOT_FOUND));
    CHECK(status.error_message() == "you have no such job");
  }
}

// The database takes no further page, as on a full disk.
void FillDisk(Database* database) {
  const auto ask = [&](const std::string& sql) {
    int64_t answer = 0;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement statement = db.Prepare(sql).value();
      if (statement.Step().value()) answer = statement.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return answer;
  };
  const std::string pages = std::to_string(ask("PRAGMA page_count"));
  ask("PRAGMA max_page_count = " + pages);
  // And the pages that were free.
  const auto fill = [&] {
    return database->Transact([](Database& db) {
      return db.Prepare("INSERT INTO filler VALUES (zeroblob(3000))")->Run();
    });
  };
  while (fill().ok()) {
  }
}

TEST_CASE("job service: stops a job on a full disk", "[backend]") {
  Served served;
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_gpus_per_node(1);
  v1::Job job;
  REQUIRE_THAT(served.SubmitBy("ada", request, &job), IsOk());
  REQUIRE_THAT(served.database_->Query([](Database& db) {
    return db.Prepare("CREATE TABLE filler (bytes)")->Run();
  }),
               IsOk());
  FillDisk(served.database_.get());
  // The table's own pages have room for some more.
  int entries_more = 0;
  while (entries_more < 1000 &&
         served.audit_
             ->RecordNow({.act = "mark",
                          .subject = std::to_string(entries_more++),
                          .decision = AuditDecision::kAllow,
                          .result = std::string(300, 'x')})
             .ok()) {
  }
  CHECK_FALSE(served.audit_->Ready().ok());
  CHECK_FALSE(served.database_->writes().state().status.ok());
  // What takes something is refused, a stop is not.
  v1::Job second_job;
  CHECK_THAT(served.SubmitBy("ada", request, &second_job),
             StatusIs(grpc::StatusCode::UNAVAILABLE));
  v1::StopJobRequest stop;
  stop.set_job_id(job.id());
  CallBy call("ada");
  v1::StopJobResponse stopped;
  const grpc::Status status = served.stub_->StopJob(&call, stop, &stopped);
  INFO(status.error_message());
  CHECK_THAT(status, IsOk());
  CHECK(stopped.job().state() == v1::JOB_STATE_STOPPING);
  // With space again, record and entry are written.
  REQUIRE_THAT(served.database_->Query([](Database& db) {
    return db.Prepare("PRAGMA max_page_count = 1000000")->Step().status();
  }),
               IsOk());
  CHECK(WaitFor([&] { return served.audit_->Ready().ok(); }));
  const std::vector<AuditEntry> entries = served.Entries();
  CHECK(std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.act == "cancel" && entry.subject == job.id() &&
           entry.decision == "allow";
  }));
  CHECK_THAT(served.database_->writes().state().status, IsOk());
}

TEST_CASE("job service: records refusals of the impersonator", "[backend]") {
  Served served;
  const Job running = served.Submit(served.ada_).value();
  served.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kForbidden);
  v1::Job job;
  CHECK_THAT(served.SubmitBy("ada", {}, &job),
             StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  v1::StopJobRequest stop;
  stop.set_job_id(running.id.value());
  v1::StopJobResponse stopped;
  CallBy call("ada");
  served.stub_->StopJob(&call, stop, &stopped);
  const std::vector<AuditEntry> entries = served.Entries();
  REQUIRE(entries.size() >= 2);
  CHECK(entries[entries.size() - 2].act == "submit");
  CHECK(entries.back().act == "cancel");
  CHECK(entries.back().subject == running.id.value());
  for (const AuditEntry& entry :
       {entries[entries.size() - 2], entries.back()}) {
    CHECK(entry.decision == "refuse");
    CHECK(entry.actor == "ada");
    CHECK(entry.result == "PERMISSION_DENIED: user ada is refused");
  }
}

TEST_CASE("job service: a refused submission is in the audit log",
          "[backend]") {
  Served served;
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_gpus_per_node(8);
  v1::Job job;
  served.SubmitBy("ada", request, &job);
  request.set_idempotency_key("line\nbreak");
  served.SubmitBy("ada", request, &job);
  const std::vector<AuditEntry> entries = served.Entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].result.find("PERMISSION_DENIED: job requests 8 GPUs") == 0);
  CHECK(entries[1].result.find("INVALID_ARGUMENT: idempotencyKey") == 0);
  CHECK(entries[1].decision == "refuse");
}

TEST_CASE("job service: an app that is opened in a loop is one entry",
          "[backend]") {
  Served served;
  const Job job = served.Registered();
  REQUIRE_THAT(served.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  v1::OpenAppRequest request;
  request.set_job_id(job.id.value());
  for (int i = 0; i < 50; ++i) {
    CallBy call("ada");
    v1::OpenAppResponse response;
    REQUIRE_THAT(served.stub_->OpenApp(&call, request, &response), IsOk());
  }
  CHECK(served.Entries().size() == 1);
  served.clock_.Advance(absl::Minutes(1));
  CHECK(WaitFor([&] { return served.Entries().size() == 2; }));
  const AuditEntry more = served.Entries().back();
  CHECK(more.act == "open-app");
  CHECK(more.decision == "allow");
  CHECK(more.subject == job.id.value());
  CHECK(more.result.find("49 more like this since ") == 0);
}

TEST_CASE("job service: opens only active jobs", "[backend]") {
  Served served;
  const Job job = served.Registered();
  v1::OpenAppRequest request;
  request.set_job_id(job.id.value());
  v1::OpenAppResponse response;
  // The proxy shows the status until the app answers.
  CallBy early("ada");
  CHECK_THAT(served.stub_->OpenApp(&early, request, &response), IsOk());
  const Job waits = served.Submit(served.ada_).value();
  request.set_job_id(waits.id.value());
  CallBy earlier("ada");
  CHECK_THAT(served.stub_->OpenApp(&earlier, request, &response), IsOk());
  REQUIRE_THAT(served.jobs_->Stop(served.ada_, waits.id, "r"), IsOk());
  CallBy late("ada");
  CHECK_THAT(served.stub_->OpenApp(&late, request, &response),
             StatusIs(grpc::StatusCode::FAILED_PRECONDITION));
  request.set_job_id(job.id.value());
  REQUIRE_THAT(served.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  request.set_app("vim");
  CallBy other("ada");
  CHECK_THAT(served.stub_->OpenApp(&other, request, &response),
             StatusIs(grpc::StatusCode::FAILED_PRECONDITION));
  request.set_app("code");
  CallBy strangers("bob");
  CHECK_THAT(served.stub_->OpenApp(&strangers, request, &response),
             StatusIs(grpc::StatusCode::NOT_FOUND));
}

TEST_CASE("job service: each app of a job has its own origin", "[backend]") {
  Served served;
  const Job job = served.Registered();
  REQUIRE_THAT(served.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  v1::OpenAppRequest request;
  request.set_job_id(job.id.value());
  request.set_app("code");
  v1::OpenAppResponse response;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->OpenApp(&call, request, &response), IsOk());
  const std::string label = job.id.value() + "-code";
  const std::string before =
      "https://" + label + ".jobs.carme.test:8443/.carme/open?ticket=";
  REQUIRE(absl::StartsWith(response.url(), before));
  v1::Signed sealed, inner;
  v1::Ticket ticket;
  v1::Grant grant;
  REQUIRE(sealed.ParseFromString(
      *Base64UrlDecode(response.url().substr(before.size()))));
  REQUIRE(ticket.ParseFromString(sealed.payload()));
  REQUIRE(inner.ParseFromString(ticket.grant()));
  REQUIRE(grant.ParseFromString(inner.payload()));
  CHECK(grant.app() == "code");
  CHECK(grant.host_label() == label);
}

TEST_CASE("job service: with path routing each app has its own prefix",
          "[backend]") {
  Served served(0, {}, "carme-jobs.test");
  const Job job = served.Registered();
  REQUIRE_THAT(served.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  // Its own app knows its base, the other does not.
  for (const std::string app : {"jupyter", "code"}) {
    const bool own = app == "jupyter";
    v1::OpenAppRequest request;
    request.set_job_id(job.id.value());
    request.set_app(app);
    v1::OpenAppResponse response;
    CallBy call("ada");
    REQUIRE_THAT(served.stub_->OpenApp(&call, request, &response), IsOk());
    const std::string label = job.id.value() + (own ? "" : "-code");
    const std::string before =
        "https://carme-jobs.test/" + label + "/.carme/open?ticket=";
    INFO(response.url());
    REQUIRE(absl::StartsWith(response.url(), before));
    v1::Signed sealed, inner;
    v1::Ticket ticket;
    v1::Grant grant;
    REQUIRE(sealed.ParseFromString(
        *Base64UrlDecode(response.url().substr(before.size()))));
    REQUIRE(ticket.ParseFromString(sealed.payload()));
    REQUIRE(inner.ParseFromString(ticket.grant()));
    REQUIRE(grant.ParseFromString(inner.payload()));
    CHECK(grant.host_label() == label);
    CHECK(grant.whole_path() == own);
  }
}

TEST_CASE("job service: a log is read by its owner alone", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("one\n\xfftwo\n");
  v1::GetLogRequest request;
  request.set_job_id(job.id.value());
  v1::GetLogResponse response;
  CallBy stranger("bob");
  CHECK_THAT(served.stub_->GetLog(&stranger, request, &response),
             StatusIs(grpc::StatusCode::NOT_FOUND));
  request.set_app("../../etc");
  CallBy astray("ada");
  CHECK_THAT(served.stub_->GetLog(&astray, request, &response),
             StatusIs(grpc::StatusCode::INVALID_ARGUMENT));
  request.set_app("code");
  request.set_offset_bytes(4);
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->GetLog(&call, request, &response), IsOk());
  CHECK(response.text() == "?two\n");
  CHECK(response.offset_bytes() == 4);
  CHECK(response.next_offset_bytes() == 9);
  CHECK(response.size_bytes() == 9);
}

TEST_CASE("job service: does not split a character of a log", "[backend]") {
  Served served;
  const Job job = served.Registered();
  v1::GetLogRequest request;
  request.set_job_id(job.id.value());
  const auto read = [&](const std::string& log, int64_t offset) {
    served.slurm_.set_log(log);
    request.set_offset_bytes(offset);
    v1::GetLogResponse response;
    CallBy call("ada");
    REQUIRE_THAT(served.stub_->GetLog(&call, request, &response), IsOk());
    CHECK(response.next_offset_bytes() - response.offset_bytes() ==
          static_cast<int64_t>(response.text().size()));
    return response;
  };
  // From within it, and up to where its rest is not written yet.
  CHECK(read("äö\xe6\x97", 1).text() == "ö");
  CHECK(read("äö\xe6\x97", 1).offset_bytes() == 2);
  CHECK(read("äö\xe6\x97", 1).next_offset_bytes() == 4);
  CHECK(read("äö日", 4).text() == "日");
  // Nothing else is there: reading to the end completes.
  CHECK(read("äö\xe6\x97", 4).text() == "??");
  CHECK(read("\x84ö", 0).text() == "?ö");
}

TEST_CASE("job service: a ticket's grant ends with its job", "[backend]") {
  Served served;
  const Job job = served.Registered();
  REQUIRE_THAT(served.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  v1::OpenAppRequest request;
  request.set_job_id(job.id.value());
  v1::OpenAppResponse response;
  CallBy call("ada");
  REQUIRE_THAT(served.stub_->OpenApp(&call, request, &response), IsOk());
  const std::string before =
      "https://" + job.id.value() + ".jobs.carme.test:8443/.carme/open?ticket=";
  REQUIRE(absl::StartsWith(response.url(), before));
  v1::Signed sealed, inner;
  v1::Ticket ticket;
  v1::Grant grant;
  REQUIRE(sealed.ParseFromString(
      *Base64UrlDecode(response.url().substr(before.size()))));
  REQUIRE(ticket.ParseFromString(sealed.payload()));
  REQUIRE(inner.ParseFromString(ticket.grant()));
  REQUIRE(grant.ParseFromString(inner.payload()));
  CHECK(grant.session_id() == "session-of-ada");
  CHECK(grant.expires_at().seconds() ==
        absl::ToUnixSeconds(served.clock_.Now()) + 3600);
}

TEST_CASE("job service: an extension is its owner's, shown, and on record",
          "[backend]") {
  Served served(0, absl::Hours(3));
  const Job job = served.Registered();
  v1::ExtendJobRequest request;
  request.set_job_id(job.id.value());
  request.mutable_by()->set_seconds(1800);
  request.set_idempotency_key("line\nbreak");
  v1::ExtendJobResponse response;
  const auto extend = [&](const std::string& name) {
    CallBy call(name);
    return served.stub_->ExtendJob(&call, request, &response).error_code();
  };
  CHECK(extend("ada") == grpc::StatusCode::INVALID_ARGUMENT);
  request.set_idempotency_key("key");
  CHECK(extend("bob") == grpc::StatusCode::NOT_FOUND);
  CHECK(served.slurm_.Extended() == 0);
  CHECK(extend("ada") == grpc::StatusCode::OK);
  CHECK(response.job().spec().walltime().seconds() == 5400);
  CHECK(response.job().extendable_by().seconds() == 3 * 3600 - 5400);
  const std::vector<AuditEntry> entries = served.Entries();
  REQUIRE(!entries.empty());
  CHECK(entries.back().act == "extend");
  CHECK(entries.back().actor == "ada");
  CHECK(entries.back().subject == job.id.value());
}

TEST_CASE("job service: holds and releases only jobs of the caller",
          "[backend]") {
  Served served;
  const Job job = served.Submit(served.ada_).value();
  v1::HoldJobRequest hold;
  hold.set_job_id(job.id.value());
  v1::ReleaseJobRequest release;
  release.set_job_id(job.id.value());
  v1::KeepAliveJobRequest keep;
  keep.set_job_id(job.id.value());
  v1::HoldJobResponse held;
  v1::ReleaseJobResponse released;
  v1::KeepAliveJobResponse kept;
  {
    CallBy one("bob"), two("bob"), three("bob");
    CHECK_THAT(served.stub_->HoldJob(&one, hold, &held),
               StatusIs(grpc::StatusCode::NOT_FOUND));
    CHECK_THAT(served.stub_->ReleaseJob(&two, release, &released),
               StatusIs(grpc::StatusCode::NOT_FOUND));
    CHECK_THAT(served.stub_->KeepAliveJob(&three, keep, &kept),
               StatusIs(grpc::StatusCode::NOT_FOUND));
  }
  CallBy first("ada"), second("ada"), third("ada");
  REQUIRE_THAT(served.stub_->HoldJob(&first, hold, &held), IsOk());
  CHECK(held.job().held());
  REQUIRE_THAT(served.stub_->ReleaseJob(&second, release, &released), IsOk());
  CHECK_FALSE(released.job().held());
  CHECK_THAT(served.stub_->KeepAliveJob(&third, keep, &kept),
             StatusIs(grpc::StatusCode::FAILED_PRECONDITION));
}

TEST_CASE("job service: submits, shows, lists and stops", "[backend]") {
  Served served;
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_gpus_per_node(1);
  request.set_idempotency_key("once");
  v1::Job job, again;
  REQUIRE_THAT(served.SubmitBy("ada", request, &job), IsOk());
  REQUIRE_THAT(served.SubmitBy("ada", request, &again), IsOk());
  CHECK(job.id() == again.id());
  CHECK(job.state() == v1::JOB_STATE_PENDING);
  CHECK(job.spec().app() == "jupyter");
  v1::ListJobsResponse list;
  CallBy listing("ada");
  REQUIRE_THAT(served.stub_->ListJobs(&listing, {}, &list), IsOk());
  REQUIRE(list.jobs_size() == 1);
  v1::StopJobRequest stop;
  stop.set_job_id(job.id());
  v1::StopJobResponse stopped;
  CallBy stopping("ada");
  REQUIRE_THAT(served.stub_->StopJob(&stopping, stop, &stopped), IsOk());
  CHECK(stopped.job().state() == v1::JOB_STATE_STOPPING);
}

TEST_CASE("job service: watching begins with everything, then changes",
          "[backend]") {
  Served served;
  served.slurm_.Poll();
  const Job job = served.Submit(served.ada_).value();
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  v1::WatchJobsResponse message;
  REQUIRE(stream->Read(&message));
  CHECK(message.snapshot());
  CHECK(message.jobs_size() == 1);
  CHECK(message.cluster_version() == 1);
  CHECK(message.notice_version() == 0);
  served.slurm_.Run(job.slurm_id);
  served.slurm_.Poll();
  REQUIRE(stream->Read(&message));
  CHECK_FALSE(message.snapshot());
  REQUIRE(message.jobs_size() == 1);
  CHECK(message.jobs(0).state() == v1::JOB_STATE_STARTING);
  served.slurm_.set_reachable(false);
  served.slurm_.Poll();
  REQUIRE(stream->Read(&message));
  CHECK(message.jobs_size() == 0);
  CHECK(message.cluster_version() == 2);
}

TEST_CASE("job service: watching announces notices", "[backend]") {
  Served served;
  served.notices_->Refresh();
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  v1::WatchJobsResponse message;
  REQUIRE(stream->Read(&message));
  const uint64_t version = message.notice_version();
  CHECK(version != 0);
  REQUIRE_THAT(served.database_->Transact([&](Database& db) {
    return PostEvent(db,
                     {.uid = served.ada_.uid,
                      .kind = v1::NOTIFICATION_KIND_ACCOUNT,
                      .text = "A new device has logged in."},
                     served.clock_.Now());
  }),
               IsOk());
  CHECK(served.notices_->Refresh());
  served.jobs_->feed().WakeAll();
  REQUIRE(stream->Read(&message));
  CHECK(message.notice_version() != version);
  CHECK_FALSE(message.snapshot());
  CHECK(message.jobs().empty());
}

TEST_CASE("job service: only support and administrators watch health",
          "[backend]") {
  Served served;
  v1::WatchJobsResponse message;
  served.health_.Update();
  CallBy by_ada("ada");
  const auto of_ada = served.stub_->WatchJobs(&by_ada, {});
  REQUIRE(of_ada->Read(&message));
  CHECK(message.health_version() == 0);
  CallBy by_carol("carol");
  const auto of_carol = served.stub_->WatchJobs(&by_carol, {});
  REQUIRE(of_carol->Read(&message));
  const uint64_t version = message.health_version();
  CHECK(version != 0);
  served.is_mail_down_ = true;
  served.health_.Update();
  served.jobs_->feed().WakeAll();
  REQUIRE(of_carol->Read(&message));
  CHECK(message.health_version() != version);
  CHECK_FALSE(message.snapshot());
}

TEST_CASE("job service: watching announces images", "[backend]") {
  Served served;
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  v1::WatchJobsResponse message;
  REQUIRE(stream->Read(&message));
  const uint64_t version = message.image_version();
  CHECK(version != 0);
  ImageRecord of_bob;
  of_bob.image.id = "bob/mine:1";
  of_bob.image.owner = "bob";
  of_bob.image.owner_uid = Uid(20002);
  REQUIRE_THAT(served.images_->Add(of_bob), IsOk());
  served.jobs_->feed().WakeAll();
  ImageRecord of_site;
  of_site.image.id = "torch:2";
  REQUIRE_THAT(served.images_->Add(of_site), IsOk());
  CHECK(served.images_->Refresh());
  served.jobs_->feed().WakeAll();
  // The first message is for torch:2: there is none for Bob's image.
  REQUIRE(stream->Read(&message));
  CHECK(message.image_version() == version + 1);
  CHECK(message.jobs().empty());
}

TEST_CASE("job service: watching ends with the session", "[backend]") {
  Served served;
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  v1::WatchJobsResponse message;
  REQUIRE(stream->Read(&message));
  const absl::Time before = absl::Now();
  REQUIRE_THAT(served.sessions_.End(SessionId("session-of-ada")), IsOk());
  CHECK_FALSE(stream->Read(&message));
  CHECK(absl::Now() - before <
        absl::Seconds(8));  // the next heartbeat is after 10
  CHECK_THAT(stream->Finish(), StatusIs(grpc::StatusCode::UNAUTHENTICATED));
}

TEST_CASE("job service: watching ends at the session's expiry", "[backend]") {
  Served served;
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  v1::WatchJobsResponse message;
  REQUIRE(stream->Read(&message));
  served.clock_.Advance(absl::Hours(25));
  CHECK_FALSE(stream->Read(&message));
  CHECK_THAT(stream->Finish(), StatusIs(grpc::StatusCode::UNAUTHENTICATED));
}

TEST_CASE("job service: a person may watch from so many pages, no more",
          "[backend]") {
  Served served;
  std::vector<std::unique_ptr<CallBy>> calls;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchJobsResponse>>>
      streams;
  v1::WatchJobsResponse message;
  for (int i = 0; i <= 64; ++i) {
    calls.push_back(std::make_unique<CallBy>("ada"));
    streams.push_back(served.stub_->WatchJobs(calls.back().get(), {}));
    CHECK(streams.back()->Read(&message) == (i < 64));
  }
  CHECK_THAT(streams.back()->Finish(),
             StatusIs(grpc::StatusCode::RESOURCE_EXHAUSTED));
  calls.push_back(std::make_unique<CallBy>("bob"));
  streams.push_back(served.stub_->WatchJobs(calls.back().get(), {}));
  CHECK(streams.back()->Read(&message));
  for (const auto& call : calls) call->TryCancel();
}

TEST_CASE("job service: many watchers need no threads and leave no memory",
          "[backend]") {
  Served served;
  std::vector<std::unique_ptr<CallBy>> calls;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchJobsResponse>>>
      streams;
  v1::WatchJobsResponse message;
  const auto open = [&] {
    const std::string person = absl::StrCat("user", streams.size() % 20);
    calls.push_back(std::make_unique<CallBy>(person));
    streams.push_back(served.stub_->WatchJobs(calls.back().get(), {}));
    REQUIRE(streams.back()->Read(&message));
  };
  open();
  const int threads = ThreadsOfThisProcess();
  while (streams.size() < 1000) open();
  CHECK(ThreadsOfThisProcess() < threads + 16);
  CHECK(served.dispatcher_.size() == 1000);
  for (const auto& call : calls) call->TryCancel();
  CHECK(WaitFor([&] { return served.dispatcher_.size() == 0; }));
}

TEST_CASE("job service: a watcher that does not read ends too", "[backend]") {
  Served served;
  CallBy call("ada");
  const auto stream = served.stub_->WatchJobs(&call, {});
  // More than the connection's windows hold, without a reader.
  Job job = served.Submit(served.ada_).value();
  for (int i = 0; i < 20000; ++i) {
    job.reason = std::string(1000, static_cast<char>('a' + i % 26));
    served.jobs_->feed().Publish(job);
  }
  REQUIRE_THAT(served.sessions_.End(SessionId("session-of-ada")), IsOk());
  CHECK(WaitFor([&] { return served.dispatcher_.size() == 0; }));
}

}  // namespace
}  // namespace carme::backend
