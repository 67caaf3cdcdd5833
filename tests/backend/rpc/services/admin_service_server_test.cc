#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/users/user_store.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/notifications/inbox.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/node_updater.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/admin.pb.h"
#include "common/pki/expiry.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/backend/rpc/fake_certificate_report.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
const Uid kAda(20001);

// A site where jobs may become four hours long.
struct LongWorld : JobFixture {
  LongWorld() {
    config_.life.longest_walltime = absl::Hours(4);
    Restart();
  }
};

// Returns `answer` and keeps the calls.
class FakeNodeUpdater : public NodeUpdater {
 public:
  absl::Status Drain(const PosixUser& administrator,
                     const std::vector<std::string>& nodes,
                     const std::string& reason,
                     const std::string& /*request_id*/) override {
    calls.push_back("drain " + absl::StrJoin(nodes, ",") + " " + reason + " " +
                    administrator.name);
    return answer;
  }
  absl::Status Resume(const PosixUser& administrator,
                      const std::vector<std::string>& nodes,
                      const std::string& /*request_id*/) override {
    calls.push_back("resume " + absl::StrJoin(nodes, ",") + " " +
                    administrator.name);
    return answer;
  }
  absl::Status answer;
  std::vector<std::string> calls;
};

class Served : public AccountSite {
 public:
  Served() {
    certificates_.health = {
        {"backend", "carme://backend/b", absl::FromUnixSeconds(77), true}};
    health_.Add(v1::HEALTH_COMPONENT_DATABASE, [] {
      v1::ComponentHealth down;
      down.set_state(v1::HEALTH_STATE_DOWN);
      return down;
    });
    health_.Update();
    for (const Session* owner : {&world_.ada_, &world_.bob_}) {
      REQUIRE_THAT(owners_.RecordLogin(PersonOf(*owner)), IsOk());
    }
    ServiceMap services;
    services["admin"] =
        NewAdminService({.users = &users_,
                         .factors = &factors_,
                         .recovery_codes = &recovery_codes_,
                         .sessions = sessions_.get(),
                         .tokens = tokens_.get(),
                         .credentials = &credentials_,
                         .jobs = &world_.jobs_->active(),
                         .admin_jobs = &admin_jobs_,
                         .audit = audit_.get(),
                         .nodes = &nodes_,
                         .roles = {{Role::kAdmin, "carme-admins"}},
                         .certificates = &certificates_,
                         .health = &health_});
    Serve(std::move(services));
    stub_ = v1::AdminService::NewStub(AsFrontend());
  }
  grpc::Status Reset(const std::string& token, const std::string& username,
                     const std::string& reason = "lost the telephone") {
    CallWith call(token);
    v1::ResetFactorsRequest request;
    request.set_username(username);
    request.set_reason(reason);
    v1::ResetFactorsResponse response;
    return stub_->ResetFactors(&call, request, &response);
  }
  grpc::Status EndAll(const std::string& token, const std::string& username,
                      v1::EndUserSessionsResponse* response) {
    CallWith call(token);
    v1::EndUserSessionsRequest request;
    request.set_username(username);
    request.set_reason("stolen laptop");
    return stub_->EndUserSessions(&call, request, response);
  }
  v1::ListUsersResponse List(const std::string& token,
                             const v1::ListUsersRequest& request) {
    CallWith call(token);
    v1::ListUsersResponse response;
    REQUIRE_THAT(stub_->ListUsers(&call, request, &response), IsOk());
    return response;
  }
  // A factor on the disk, as an enrolment leaves it.
  void Enrol(Uid uid) {
    Ask("INSERT INTO second_factors VALUES ('f" + std::to_string(uid.value()) +
        "', " + std::to_string(uid.value()) +
        ", 'totp', 'Telephone', x'00', 0, NULL, 0, 0, NULL)");
  }

  // A call of AdminService, by a name of its stub's.
  template <typename Request, typename Response>
  grpc::Status Act(grpc::Status (v1::AdminService::Stub::*rpc)(
                       grpc::ClientContext*, const Request&, Response*),
                   const std::string& token, Request request, const Job& job,
                   const std::string& reason = "node maintenance") {
    CallWith call(token);
    request.set_job_id(job.id.value());
    request.set_reason(reason);
    Response response;
    return (stub_.get()->*rpc)(&call, request, &response);
  }
  grpc::Status Stop(const std::string& token, const Job& job,
                    const std::string& reason = "node maintenance") {
    return Act(&v1::AdminService::Stub::StopUserJob, token,
               v1::StopUserJobRequest(), job, reason);
  }
  grpc::Status ReadLog(const std::string& token, const Job& job,
                       const std::string& reason) {
    return Act(&v1::AdminService::Stub::GetUserJobLog, token,
               v1::GetUserJobLogRequest(), job, reason);
  }
  grpc::Status Extend(const std::string& token, const Job& job, int minutes,
                      const std::string& key) {
    v1::ExtendUserJobRequest request;
    request.mutable_by()->set_seconds(60 * minutes);
    request.set_idempotency_key(key);
    return Act(&v1::AdminService::Stub::ExtendUserJob, token, request, job);
  }
  grpc::Status Drain(const std::string& token,
                     const std::vector<std::string>& nodes,
                     const std::string& reason = "fan") {
    CallWith call(token);
    v1::DrainNodesRequest request;
    *request.mutable_nodes() = {nodes.begin(), nodes.end()};
    request.set_reason(reason);
    v1::DrainNodesResponse response;
    return stub_->DrainNodes(&call, request, &response);
  }
  grpc::Status Resume(const std::string& token,
                      const std::vector<std::string>& nodes) {
    CallWith call(token);
    v1::ResumeNodesRequest request;
    *request.mutable_nodes() = {nodes.begin(), nodes.end()};
    v1::ResumeNodesResponse response;
    return stub_->ResumeNodes(&call, request, &response);
  }
  std::vector<InboxEvent> ClientError() {
    return Inbox(world_.database_.get(), &clock_).List(kAda, 0, 10)->events;
  }

  LongWorld world_;
  FakeCertificateReport certificates_;
  FakeNodeUpdater nodes_;
  HealthMonitor health_{&clock_};
  UserStore owners_{world_.database_.get(), &clock_};
  AdminJobs admin_jobs_{{.jobs = world_.jobs_.get(),
                         .database = world_.database_.get(),
                         .clock = &clock_,
                         .users = &owners_}};
  FactorStore factors_{database_.get(), &clock_};
  RecoveryCodes recovery_codes_{database_.get(), &clock_};
  Inbox inbox_{database_.get(), &clock_};
  std::unique_ptr<v1::AdminService::Stub> stub_;
};

TEST_CASE("admin: refuses to drain nodes without a reason or a name",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK_THAT(site.Drain(carol, {"n1"}, ""), StatusIs(Code::INVALID_ARGUMENT));
  CHECK_THAT(site.Drain(carol, {"n1"}, "a\nb"),
             StatusIs(Code::INVALID_ARGUMENT));
  CHECK_THAT(site.Drain(carol, {}), StatusIs(Code::INVALID_ARGUMENT));
  CHECK_THAT(site.Resume(carol, std::vector<std::string>(65, "n1")),
             StatusIs(Code::INVALID_ARGUMENT, "1 to 64"));
  CHECK(site.nodes_.calls.empty());
}

TEST_CASE("admin: only administrators drain and resume nodes", "[backend]") {
  Served site;
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    CHECK_THAT(site.Drain(token, {"n1"}), StatusIs(Code::PERMISSION_DENIED));
    CHECK_THAT(site.Resume(token, {"n1"}), StatusIs(Code::PERMISSION_DENIED));
  }
  CHECK(site.nodes_.calls.empty());
}

TEST_CASE("admin: returns and records why nodes were not drained",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.nodes_.answer = absl::PermissionDeniedError("too many are drained");
  CHECK_THAT(site.Drain(carol, {"n1", "n2"}),
             StatusIs(Code::PERMISSION_DENIED, "too many are drained"));
  CHECK(site.Ask("SELECT subject || ' ' || decision FROM audit WHERE "
                 "act='drain-nodes'") == "n1,n2 refuse");
  site.nodes_.answer = absl::NotFoundError("no node \"n9\"");
  CHECK_THAT(site.Drain(carol, {"n9"}), StatusIs(Code::NOT_FOUND, "n9"));
  site.nodes_.answer = absl::DeadlineExceededError("/run/impersonator");
  const grpc::Status late = site.Drain(carol, {"n1"});
  CHECK_THAT(late, StatusIs(Code::UNAVAILABLE));
  CHECK_THAT(late.error_message(), !Catch::Contains("/run"));
}

TEST_CASE("admin: drains and resumes nodes as the administrator", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK_THAT(site.Drain(carol, {"n1", "n2"}), IsOk());
  CHECK_THAT(site.Resume(carol, {"n1"}), IsOk());
  CHECK(site.nodes_.calls ==
        std::vector<std::string>{"drain n1,n2 fan carol", "resume n1 carol"});
  CHECK(site.AskNow("SELECT actor || ' ' || subject || ' ' || result FROM "
                    "audit WHERE act='drain-nodes'") ==
        "carol n1,n2 ok; reason: fan");
}

TEST_CASE("admin: administrators cannot reset their own factors", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Reset(carol, "carol").error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.Ask("SELECT decision FROM audit WHERE act='reset-factors'") ==
        "refuse");
}

TEST_CASE("admin: a reset needs a reason and a known user", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const NewSession ada = site.LogIn("ada");
  CHECK(site.Reset(carol, "ada", "").error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.Reset(carol, "ada", std::string(201, 'x')).error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Reset(carol, "ada", "a\nb").error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Reset(carol, "nobody").error_code() == Code::NOT_FOUND);
  CHECK(site.sessions_->IsLive(ada.session.id));
}

TEST_CASE("admin: support and a stale factor can read only", "[backend]") {
  Served site;
  site.LogIn("ada");
  const std::string sam = site.LogIn("sam").token;
  const std::string carol = site.LogIn("carol").token;
  v1::EndUserSessionsResponse response;
  CHECK(site.List(sam, {}).users_size() == 3);
  CHECK(site.Reset(sam, "ada").error_code() == Code::PERMISSION_DENIED);
  CHECK(site.EndAll(sam, "ada", &response).error_code() ==
        Code::PERMISSION_DENIED);
  site.clock_.Advance(absl::Minutes(10));
  CHECK(site.Reset(carol, "ada").error_code() == Code::FAILED_PRECONDITION);
}

TEST_CASE("admin: a reset ends factors, sessions, tokens, with its reason",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const NewSession ada = site.LogIn("ada");
  site.Enrol(kAda);
  const auto token = site.tokens_->Create(ada.session, "t", {"jobs:read"},
                                          site.clock_.Now() + absl::Hours(1));
  REQUIRE_THAT(site.Reset(carol, "ada"), IsOk());
  // The answer did not leave before its entry.
  CHECK(
      site.AskNow("SELECT actor || ' ' || subject || ' ' || result FROM audit "
                  "WHERE act='reset-factors'") ==
      "carol ada ok; reason: lost the telephone");
  CHECK_FALSE(site.sessions_->IsLive(ada.session.id));
  CHECK(site.tokens_->Of(kAda).empty());
  CHECK(site.factors_.List(kAda)->empty());
  const auto notices = site.inbox_.List(kAda, 0, 10);
  REQUIRE(notices->events.size() == 1);
  CHECK(notices->events.front().text.text.find("lost the telephone") !=
        std::string::npos);
}

TEST_CASE("admin: all sessions of a person end", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const NewSession ada = site.LogIn("ada");
  site.LogIn("ada");
  v1::EndUserSessionsResponse response;
  REQUIRE_THAT(site.EndAll(carol, "ada", &response), IsOk());
  CHECK(response.sessions() == 2);
  CHECK(response.tokens() == 0);
  CHECK_FALSE(site.sessions_->IsLive(ada.session.id));
  CHECK(site.EndAll(carol, "nobody", &response).error_code() ==
        Code::NOT_FOUND);
}

TEST_CASE("admin: a list has pages and filters", "[backend]") {
  Served site;
  for (const char* name : {"ada", "bob", "carol"}) site.LogIn(name);
  const std::string sam = site.LogIn("sam").token;
  v1::ListUsersRequest request;
  request.set_page_size(3);
  v1::ListUsersResponse response = site.List(sam, request);
  REQUIRE(response.users_size() == 3);
  REQUIRE_FALSE(response.next_page_token().empty());
  CHECK(response.users(0).username() == "ada");
  CHECK(response.users(2).role() == v1::ROLE_ADMIN);
  CHECK(response.roles(0).group() == "carme-admins");
  request.set_page_token(response.next_page_token());
  response = site.List(sam, request);
  REQUIRE(response.users_size() == 1);
  CHECK(response.next_page_token().empty());
  CHECK(response.users(0).sessions() == 1);
  request.Clear();
  request.mutable_filter()->set_search("DR. C");
  CHECK(site.List(sam, request).users_size() == 1);
  request.mutable_filter()->set_search("%");
  CHECK(site.List(sam, request).users_size() == 0);
  for (const int size : {-1, 501}) {
    CallWith call(sam);
    request.set_page_size(size);
    CHECK(site.stub_->ListUsers(&call, request, &response).error_code() ==
          Code::INVALID_ARGUMENT);
  }
}

TEST_CASE("admin: one person, whole, without a secret", "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  site.Enrol(kAda);
  const auto token = site.tokens_->Create(ada.session, "t", {"jobs:read"},
                                          site.clock_.Now() + absl::Hours(1));
  const std::string sam = site.LogIn("sam").token;
  CallWith call(sam);
  v1::GetUserRequest request;
  request.set_username("ada");
  v1::GetUserResponse response;
  REQUIRE_THAT(site.stub_->GetUser(&call, request, &response), IsOk());
  CHECK(response.user().uid() == 20001);
  CHECK(response.user().factors_size() == 1);
  CHECK(response.factors(0).name() == "Telephone");
  CHECK(response.sessions(0).id() == ada.session.id.value());
  CHECK_FALSE(response.sessions(0).current());
  CHECK(response.tokens(0).id() == token->token.id);
  for (const std::string& secret : {ada.token, token->secret}) {
    CHECK(response.SerializeAsString().find(secret) == std::string::npos);
  }
}

TEST_CASE("admin: a job is not touched without a reason, right and job",
          "[backend]") {
  Served site;
  const Job job = site.world_.Submit(site.world_.ada_).value();
  const std::string carol = site.LogIn("carol").token;
  for (const std::string& reason :
       {std::string(), std::string("a\nb"), std::string(201, 'x')}) {
    CHECK(site.Stop(carol, job, reason).error_code() == Code::INVALID_ARGUMENT);
  }
  CHECK(site.Stop(site.LogIn("sam").token, job).error_code() ==
        Code::PERMISSION_DENIED);
  CHECK(site.Stop(site.LogIn("ada").token, job).error_code() ==
        Code::PERMISSION_DENIED);
  Job other = job;
  other.id = JobId("aaaaaaaaaaaaaaaa");
  CHECK(site.Stop(carol, other).error_code() == Code::NOT_FOUND);
  // A failed operation is not on the job, and its owner is not notified.
  CHECK(site.Act(&v1::AdminService::Stub::ExtendUserJob, carol,
                 v1::ExtendUserJobRequest(), job)
            .error_code() != Code::OK);
  CHECK(site.world_.Now(job.id).admin_actions.empty());
  CHECK(site.world_.slurm_.Cancelled().empty());
  CHECK(site.ClientError().empty());
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='admin-stop' AND "
                 "decision='refuse'") == "4");
}

TEST_CASE("admin: stops a job as its owner and shows the reason", "[backend]") {
  Served site;
  const Job job = site.world_.Submit(site.world_.ada_).value();
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Stop(carol, job), IsOk());
  CHECK(site.world_.slurm_.Cancelled() ==
        std::vector<SlurmJobId>{job.slurm_id});
  const Job now = site.world_.Now(job.id);
  REQUIRE(now.admin_actions.size() == 1);
  CHECK(now.admin_actions[0].kind == v1::AdminAction::KIND_STOP);
  CHECK(now.admin_actions[0].administrator == "carol");
  CHECK(now.admin_actions[0].reason == "node maintenance");
  REQUIRE(site.ClientError().size() == 1);
  CHECK(site.ClientError()[0].text.text.find("node maintenance") !=
        std::string::npos);
  CHECK(site.Ask("SELECT result FROM audit WHERE act='admin-stop'")
            .find("reason: node maintenance") != std::string::npos);
  site.world_.slurm_.End(job.slurm_id, SlurmState::kCancelled);
  site.world_.slurm_.Poll();
  const Job ended = site.world_.Now(job.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR);
  CHECK(ended.reason.text ==
        "stopped by the administrator carol: node maintenance");
  CHECK(site.Stop(carol, job).error_code() == Code::FAILED_PRECONDITION);
  // After a restart, too.
  site.world_.jobs_->active().DropWritten();
  CHECK(site.world_.jobs_->GetOfAnyOwner(job.id, "r")->admin_actions.size() ==
        1);
}

TEST_CASE("admin: the owner does not release an administrator's hold",
          "[backend]") {
  Served site;
  const Job job = site.world_.Submit(site.world_.ada_).value();
  site.world_.slurm_.Poll();
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Act(&v1::AdminService::Stub::HoldUserJob, carol,
                        v1::HoldUserJobRequest(), job),
               IsOk());
  const absl::Status released =
      site.world_.jobs_->Release(site.world_.ada_, job.id, "r").status();
  CHECK(absl::IsPermissionDenied(released));
  CHECK(std::string(released.message()).find("node maintenance") !=
        std::string::npos);
  CHECK(site.world_.Now(job.id).held);
  REQUIRE_THAT(site.Act(&v1::AdminService::Stub::ReleaseUserJob, carol,
                        v1::ReleaseUserJobRequest(), job, "done"),
               IsOk());
  CHECK_FALSE(site.world_.Now(job.id).held);
  // From now on the hold is the owner's own.
  REQUIRE_THAT(site.world_.jobs_->Hold(site.world_.ada_, job.id, "r"), IsOk());
  CHECK_THAT(site.world_.jobs_->Release(site.world_.ada_, job.id, "r"), IsOk());
  CHECK(site.ClientError().size() == 2);
}

TEST_CASE("admin: no number of later actions removes a hold or a stop",
          "[backend]") {
  Served site;
  site.world_.slurm_.set_log("first line");
  const Job job = site.world_.Submit(site.world_.ada_).value();
  site.world_.slurm_.Poll();
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Act(&v1::AdminService::Stub::HoldUserJob, carol,
                        v1::HoldUserJobRequest(), job),
               IsOk());
  const auto read_often = [&](const std::string& ticket) {
    for (int i = 0; i < 20; ++i) {
      REQUIRE_THAT(site.ReadLog(carol, job, ticket + std::to_string(i)),
                   IsOk());
    }
  };
  read_often("a");
  Job now = site.world_.Now(job.id);
  CHECK(now.admin_actions.size() == AdminJobs::kMaxActions);
  CHECK(now.admin_actions.back().reason == "a19");
  REQUIRE(AdminHoldOf(now) != nullptr);
  CHECK(absl::IsPermissionDenied(
      site.world_.jobs_->Release(site.world_.ada_, job.id, "r").status()));
  REQUIRE_THAT(site.Stop(carol, job), IsOk());
  read_often("b");
  now = site.world_.Now(job.id);
  CHECK(now.admin_actions.size() == AdminJobs::kMaxActions);
  CHECK(AdminStopOf(now) != nullptr);
  CHECK(AdminHoldOf(now) != nullptr);
}

TEST_CASE("admin: an extension that is repeated is recorded once",
          "[backend]") {
  Served site;
  const Job job = site.world_.Registered();
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Extend(carol, job, 30, "key-1"), IsOk());
  REQUIRE_THAT(site.Extend(carol, job, 30, "key-1"), IsOk());
  CHECK(site.world_.slurm_.Extended() == 1);
  CHECK(site.world_.Now(job.id).admin_actions.size() == 1);
  CHECK(site.ClientError().size() == 1);
  // The key is of this extension alone.
  CHECK(site.Extend(carol, job, 40, "key-1").error_code() ==
        Code::ALREADY_EXISTS);
  CHECK(site.world_.Now(job.id).admin_actions.size() == 1);
  REQUIRE_THAT(site.Extend(carol, job, 30, "key-2"), IsOk());
  CHECK(site.world_.slurm_.Extended() == 2);
  CHECK(site.world_.Now(job.id).admin_actions.size() == 2);
  CHECK(site.ClientError().size() == 2);
}

TEST_CASE("admin: reading on in a log is reported once", "[backend]") {
  Served site;
  site.world_.slurm_.set_log("first line");
  const Job job = site.world_.Submit(site.world_.ada_).value();
  const std::string carol = site.LogIn("carol").token;
  const auto read = [&](const std::string& reason) {
    CallWith call(carol);
    v1::GetUserJobLogRequest request;
    request.set_job_id(job.id.value());
    request.set_reason(reason);
    v1::GetUserJobLogResponse response;
    const grpc::Status status =
        site.stub_->GetUserJobLog(&call, request, &response);
    return status.ok() ? response.text() : status.error_message();
  };
  CHECK(read("").find("expected 1 to 200") != std::string::npos);
  CHECK(site.ClientError().empty());
  CHECK(read("ticket 1") == "first line");
  CHECK(read("ticket 1") == "first line");
  CHECK(site.ClientError().size() == 1);
  CHECK(read("ticket 2") == "first line");
  CHECK(site.ClientError().size() == 2);
  CHECK(site.world_.Now(job.id).admin_actions.size() == 2);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='admin-read-log' AND "
                 "decision='allow'") == "3");
}

TEST_CASE("admin: jobs of all users by filter and page", "[backend]") {
  Served site;
  const Job first = site.world_.Submit(site.world_.ada_).value();
  for (int i = 0; i < 4; ++i) {
    site.world_.clock_.Advance(absl::Seconds(1));
    REQUIRE_THAT(
        site.world_.Submit(i % 2 == 0 ? site.world_.bob_ : site.world_.ada_),
        IsOk());
  }
  const std::string sam = site.LogIn("sam").token;
  const auto list = [&](const v1::ListAllJobsRequest& request,
                        v1::ListAllJobsResponse* response) {
    CallWith call(sam);
    response->Clear();
    return site.stub_->ListAllJobs(&call, request, response).error_code();
  };
  v1::ListAllJobsRequest request;
  v1::ListAllJobsResponse page;
  for (const int size : {-1, 1001}) {
    request.set_page_size(size);
    CHECK(list(request, &page) == Code::INVALID_ARGUMENT);
  }
  request.set_page_size(2);
  request.set_page_token("nonsense");
  CHECK(list(request, &page) == Code::INVALID_ARGUMENT);
  request.clear_page_token();
  request.mutable_filter()->set_search(std::string(101, 'x'));
  CHECK(list(request, &page) == Code::INVALID_ARGUMENT);
  request.mutable_filter()->clear_search();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(list(request, &page) == Code::OK);
    for (const v1::OwnedJob& row : page.jobs()) ids.push_back(row.job().id());
    request.set_page_token(page.next_page_token());
  }
  CHECK(ids.size() == 5);
  CHECK(page.next_page_token().empty());
  CHECK(ids.back() == first.id.value());
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 5);
  // A token is valid for its filter alone.
  request.clear_page_token();
  REQUIRE(list(request, &page) == Code::OK);
  request.set_page_token(page.next_page_token());
  request.mutable_filter()->set_owner("ada");
  CHECK(list(request, &page) == Code::INVALID_ARGUMENT);
  request.clear_page_token();
  request.clear_page_size();
  REQUIRE(list(request, &page) == Code::OK);
  CHECK(page.jobs_size() == 3);
  request.mutable_filter()->add_states(v1::JOB_STATE_READY);
  REQUIRE(list(request, &page) == Code::OK);
  CHECK(page.jobs_size() == 0);
  request.Clear();
  request.mutable_filter()->set_search(absl::AsciiStrToUpper(first.id.value()));
  REQUIRE(list(request, &page) == Code::OK);
  CHECK(page.jobs_size() == 1);
}

TEST_CASE("admin: jobs of all users with their owners, and the health",
          "[backend]") {
  Served site;
  REQUIRE_THAT(site.world_.Submit(site.world_.ada_), IsOk());
  REQUIRE_THAT(site.world_.Submit(site.world_.bob_), IsOk());
  const std::string sam = site.LogIn("sam").token;
  CallWith first(sam), second(sam);
  v1::ListAllJobsResponse jobs;
  REQUIRE_THAT(site.stub_->ListAllJobs(&first, {}, &jobs), IsOk());
  REQUIRE(jobs.jobs_size() == 2);
  CHECK(jobs.jobs(0).owner() != jobs.jobs(1).owner());
  v1::GetHealthResponse health;
  REQUIRE_THAT(site.stub_->GetHealth(&second, {}, &health), IsOk());
  REQUIRE(health.certificates_size() == 1);
  CHECK(health.certificates(0).not_after().seconds() == 77);
  CHECK(health.certificates(0).soon());
  REQUIRE(health.components_size() == 1);
  CHECK(health.components(0).state() == v1::HEALTH_STATE_DOWN);
}

}  // namespace
}  // namespace carme::backend
