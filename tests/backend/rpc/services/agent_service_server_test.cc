#include <catch2/catch.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/rendered_environment.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/jobs/agents/munge_decoder.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/logs/service_log.h"
#include "backend/node_history/node_history.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/cluster_detail.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/clock.h"
#include "common/crypto/hash.h"
#include "common/pki/certificate_request.h"
#include "common/protobuf/text_code.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

// munged as a table of credentials that a test writes; the real one is in
// credential_decoder_server_test.cc.
class TableDecoder : public CredentialDecoder {
 public:
  absl::StatusOr<Credential> Decode(const std::string& credential) override {
    if (credential == "munged is away") {
      return absl::UnavailableError("munge: Socket communication error");
    }
    absl::MutexLock lock(&mutex_);
    const auto found = made_.find(credential);
    if (found == made_.end()) {
      return absl::PermissionDeniedError("munge: Replayed credential");
    }
    const Credential decoded = found->second;
    made_.erase(found);
    return decoded;
  }
  template <typename Request>
  void Sign(const std::string& method, Uid uid, Request* request) {
    request->clear_munge();
    const std::string payload =
        Sha256(method + '\0' + request->SerializeAsString());
    absl::MutexLock lock(&mutex_);
    const std::string name = "credential " + std::to_string(++count_);
    made_[name] = {uid, payload};
    request->set_munge(name);
  }

 private:
  absl::Mutex mutex_;
  std::map<std::string, Credential> made_ ABSL_GUARDED_BY(mutex_);
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
};

class FakeAuthorities : public ClientAuthoritySource {
 public:
  void Set(const ClientAuthorities& authorities) {
    absl::MutexLock lock(&mutex_);
    authorities_ = std::make_shared<const ClientAuthorities>(authorities);
  }
  std::shared_ptr<const ClientAuthorities> client_authorities() const override {
    absl::MutexLock lock(&mutex_);
    return authorities_;
  }

 private:
  mutable absl::Mutex mutex_;
  std::shared_ptr<const ClientAuthorities> authorities_ ABSL_GUARDED_BY(
      mutex_) = std::make_shared<const ClientAuthorities>(ClientAuthorities{
      "proxy CA", ""});
};

class FakeAgentActivity : public AgentActivity {
 public:
  using Report = std::pair<JobId, ObservedUse>;
  void OnAgentActivity(const JobId& id, const ObservedUse& use) override {
    absl::MutexLock lock(&mutex_);
    reports_.emplace_back(id, use);
  }
  std::vector<Report> reports() const {
    absl::MutexLock lock(&mutex_);
    return reports_;
  }

 private:
  mutable absl::Mutex mutex_;
  std::vector<Report> reports_ ABSL_GUARDED_BY(mutex_);
};

constexpr char kRegister[] = "/carme.v1.AgentService/Register";
constexpr char kFollow[] = "/carme.v1.AgentService/WatchJob";
constexpr char kReport[] = "/carme.v1.AgentService/ReportState";
constexpr char kReportLog[] = "/carme.v1.AgentService/ReportLog";
constexpr char kReportVetRun[] = "/carme.v1.AgentService/ReportVetRun";
constexpr char kGetVetRequest[] = "/carme.v1.AgentService/GetVetRequest";
constexpr char kReportImage[] = "/carme.v1.AgentService/ReportImage";

class Served : public JobCalls {
 public:
  explicit Served(const std::vector<std::string>& dial = {}) {
    Serve(NewAgentService({.decoder = &decoder_,
                           .admission = admission_.get(),
                           .job_ca = &job_ca_,
                           .config = &config_,
                           .images = images_,
                           .audit = audit_.get(),
                           .clock = &clock_,
                           .dispatcher = &dispatcher_,
                           .jobs = jobs_.get(),
                           .activity = &activity_,
                           .logs = &logs_,
                           .scheduler = &slurm_,
                           .authorities = &authorities_,
                           .proxy_name = "dmz",
                           .ticket_public_key = std::string(32, 'k'),
                           .dial = dial,
                           .node_history = &node_history_}),
          "agent");
    stub_ = v1::AgentService::NewStub(server_->Connect(Port::kAgents, ""));
    job_ = Submit(ada_).value();
    slurm_.Run(job_.slurm_id);
    slurm_.Poll();
  }
  ~Served() { Stop(); }
  v1::RegisterRequest Registration() {
    v1::RegisterRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    request.set_csr_pem(NewCertificateRequest()->csr_pem);
    request.set_port(34000);
    return request;
  }
  grpc::StatusCode Register(const v1::RegisterRequest& request) {
    CallBy call("");
    return stub_->Register(&call, request, &response_).error_code();
  }
  grpc::StatusCode Report(v1::AppState state, Uid uid,
                          const DisplayText& detail = "",
                          const std::string& app = "") {
    v1::ReportStateRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    request.set_state(state);
    request.set_detail(detail.text);
    FillTextCode(detail, &v1::ReportStateRequest::mutable_detail_code,
                 &request);
    request.set_app(app);
    decoder_.Sign(kReport, uid, &request);
    CallBy call("");
    v1::ReportStateResponse response;
    return stub_->ReportState(&call, request, &response).error_code();
  }

  v1::WatchJobRequest FollowBy(Uid uid, const std::string& method = kFollow) {
    v1::WatchJobRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    decoder_.Sign(method, uid, &request);
    return request;
  }
  ImageCopy Copy() {
    return images_
        ->Change("ada/x:1", [](ImageRecord*) { return absl::OkStatus(); })
        ->copy;
  }
  void SetTrust(const std::string& ca_pem, const std::string& crl_pem) {
    authorities_.Set({ca_pem, crl_pem});
  }

  // The lines of the service log, the newest first.
  std::vector<LogRow> LogRows() {
    REQUIRE_THAT(logs_.Flush(), IsOk());
    return logs_.Read({}, 0, 1000).value();
  }
  grpc::StatusCode ReportLog(Uid uid, v1::ReportLogRequest request,
                             const std::string& method = kReportLog) {
    decoder_.Sign(method, uid, &request);
    CallBy call("");
    v1::ReportLogResponse response;
    return stub_->ReportLog(&call, request, &response).error_code();
  }
  grpc::StatusCode ReportVetRun(Uid uid, v1::ReportVetRunRequest request,
                                const std::string& method = kReportVetRun) {
    decoder_.Sign(method, uid, &request);
    CallBy call("");
    v1::ReportVetRunResponse response;
    return stub_->ReportVetRun(&call, request, &response).error_code();
  }
  // Whether a run is requested; the error otherwise.
  absl::StatusOr<bool> IsVetRequested(
      Uid uid, const std::string& node,
      const std::string& method = kGetVetRequest) {
    v1::GetVetRequestRequest request;
    request.set_node(node);
    decoder_.Sign(method, uid, &request);
    CallBy call("");
    v1::GetVetRequestResponse response;
    const grpc::Status status = stub_->GetVetRequest(&call, request, &response);
    if (status.ok()) return response.is_requested();
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                        status.error_message());
  }
  static v1::ReportVetRunRequest FailedOn(const std::string& node) {
    v1::ReportVetRunRequest request;
    request.set_run_id("run1");
    v1::NodeVetReport* const report = request.add_nodes();
    report->set_node(node);
    v1::VetFailure* const failure = report->add_failures();
    failure->set_evaluation("fs.write");
    failure->set_reason("read-only");
    return request;
  }
  v1::ReportVetRunRequest FailedInJob(const std::string& node) const {
    v1::ReportVetRunRequest request = FailedOn(node);
    request.set_slurm_job_id(job_.slurm_id.value());
    return request;
  }
  std::vector<NodeEntry> NodeEntries(const std::string& node) {
    return node_history_.Read(node, 0, 1000).value();
  }
  // A failure of the Prolog of the job on `node`.
  v1::ReportLogRequest HookReport(const std::string& node) const {
    v1::ReportLogRequest request;
    request.set_node(node);
    v1::ReportedLogLine* const line = request.add_lines();
    line->set_severity(v1::LOG_SEVERITY_ERROR);
    line->set_service("carme-prolog");
    line->set_slurm_job_id(job_.slurm_id.value());
    line->set_message("no space left on device");
    return request;
  }
  v1::ReportLogRequest AgentReport(const std::string& message) const {
    v1::ReportLogRequest request;
    request.set_slurm_job_id(job_.slurm_id.value());
    request.set_request_id("r-12345678");
    v1::ReportedLogLine* const line = request.add_lines();
    line->set_severity(v1::LOG_SEVERITY_WARNING);
    line->set_service("carme-prolog");
    line->set_message(message);
    return request;
  }

  ServiceLog logs_{database_.get(), &clock_, {}};
  NodeHistory node_history_{database_.get(), &clock_, &slurm_};
  FakeAuthorities authorities_;
  FakeAgentActivity activity_;
  TableDecoder decoder_;
  JobCa job_ca_ = JobCa::Open(dir_.File("ca.pem"), clock_.Now()).value();
  std::unique_ptr<v1::AgentService::Stub> stub_;
  v1::RegisterResponse response_;
  Job job_;
};

TEST_CASE(
    "agent service: a user cannot write the log of a node, nor of "
    "another user's job",
    "[backend]") {
  Served served;
  const auto denied = grpc::StatusCode::PERMISSION_DENIED;
  CHECK(served.ReportLog(served.ada_.uid, served.HookReport("a1")) == denied);
  CHECK(served.ReportLog(served.bob_.uid, served.AgentReport("x")) == denied);
  // A credential of root for another call.
  CHECK(served.ReportLog(Uid(0), served.HookReport("a1"), kReport) == denied);
  CHECK(served.LogRows().empty());
  // A user's lines are of the agent, whatever they say.
  CHECK(served.ReportLog(served.ada_.uid, served.AgentReport("x")) ==
        grpc::StatusCode::OK);
  REQUIRE(served.LogRows().size() == 1);
  const LogRow row = served.LogRows()[0];
  CHECK(row.service == "carme-agent");
  CHECK(row.source == "user:ada");
  CHECK(row.job_id == served.job_.id.value());
  CHECK(row.request_id == "r-12345678");
  CHECK(row.severity == v1::LOG_SEVERITY_WARNING);
}

TEST_CASE("agent service: root of one node cannot write another node's log",
          "[backend]") {
  Served served;
  SlurmSnapshot cluster = *served.slurm_.Snapshot();
  for (SlurmNode& node : cluster.nodes) {
    if (node.name != "a1") node.address = "192.0.2.1";
  }
  served.slurm_.set_cluster(cluster);
  served.slurm_.Poll();
  const auto denied = grpc::StatusCode::PERMISSION_DENIED;
  for (const char* node : {"", "login1", "a1;"}) {
    CHECK(served.ReportLog(Uid(0), served.HookReport(node)) == denied);
  }
  REQUIRE(cluster.nodes.size() > 1);
  for (const SlurmNode& node : cluster.nodes) {
    if (node.name == "a1") continue;
    CHECK(served.ReportLog(Uid(0), served.HookReport(node.name)) == denied);
  }
  CHECK(served.LogRows().empty());
}

TEST_CASE("agent service: a user's vet run is a job's, whatever it says",
          "[backend]") {
  Served served;
  const auto denied = grpc::StatusCode::PERMISSION_DENIED;
  const Uid ada = served.ada_.uid;
  // As root, in another user's job, of nodes that the job does not have.
  CHECK(served.ReportVetRun(ada, served.FailedOn("a1")) == denied);
  CHECK(served.ReportVetRun(served.bob_.uid, served.FailedInJob("a1")) ==
        denied);
  CHECK(served.ReportVetRun(ada, served.FailedInJob("a2")) == denied);
  CHECK(served.ReportVetRun(ada, served.FailedInJob("a1"), kReportLog) ==
        denied);
  CHECK(served.NodeEntries("a1").empty());
  CHECK(served.NodeEntries("a2").empty());
  v1::ReportVetRunRequest claims = served.FailedInJob("a1");
  claims.set_prolog_slurm_job_id(served.job_.slurm_id.value());
  for (const char* run : {"r1", "r2", "r3"}) {
    claims.set_run_id(run);
    CHECK(served.ReportVetRun(ada, claims) == grpc::StatusCode::OK);
  }
  const auto entries = served.NodeEntries("a1");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].source == v1::NODE_ENTRY_SOURCE_JOB_VET);
  CHECK(entries[0].user == "ada");
  CHECK(entries[0].job_id == served.job_.id.value());
}

TEST_CASE("agent service: root of one node cannot fail another node",
          "[backend]") {
  Served served;
  SlurmSnapshot cluster = *served.slurm_.Snapshot();
  for (SlurmNode& node : cluster.nodes) {
    if (node.name != "a1") node.address = "192.0.2.1";
  }
  served.slurm_.set_cluster(cluster);
  served.slurm_.Poll();
  const auto denied = grpc::StatusCode::PERMISSION_DENIED;
  CHECK(served.ReportVetRun(Uid(0), served.FailedOn("a2")) == denied);
  CHECK(served.ReportVetRun(Uid(0), served.FailedOn("login1")) == denied);
  v1::ReportVetRunRequest both = served.FailedOn("a1");
  *both.add_nodes() = served.FailedOn("a2").nodes(0);
  CHECK(served.ReportVetRun(Uid(0), both) ==
        grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(served.NodeEntries("a2").empty());
}

TEST_CASE("agent service: a run of root is the site's, in a Prolog of its job",
          "[backend]") {
  Served served;
  CHECK(served.ReportVetRun(Uid(0), served.FailedOn("a1")) ==
        grpc::StatusCode::OK);
  v1::ReportVetRunRequest in_prolog = served.FailedOn("a1");
  in_prolog.set_run_id("run2");
  in_prolog.set_prolog_slurm_job_id(served.job_.slurm_id.value());
  CHECK(served.ReportVetRun(Uid(0), in_prolog) == grpc::StatusCode::OK);
  const auto entries = served.NodeEntries("a1");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].source == v1::NODE_ENTRY_SOURCE_PROLOG_VET);
  CHECK(entries[0].job_id == served.job_.id.value());
  CHECK(entries[1].source == v1::NODE_ENTRY_SOURCE_SITE_VET);
  CHECK(entries[1].user.empty());
}

TEST_CASE("agent service: only root of a node may ask whether to vet it",
          "[backend]") {
  Served served;
  SlurmSnapshot cluster = *served.slurm_.Snapshot();
  const auto poll = [&](const std::string& state, int cpus_used) {
    ClusterDetail detail;
    for (SlurmNode& node : cluster.nodes) {
      if (node.name != "a1") node.address = "192.0.2.1";
      node.cpus_used = cpus_used;
      detail.nodes[node.name].state.slurm = state;
    }
    cluster.detail = std::make_shared<const ClusterDetail>(detail);
    served.slurm_.set_cluster(cluster);
    served.slurm_.Poll();
  };
  poll("IDLE+DRAIN", 0);
  served.node_history_.SetVetRequested({"a1", "a2"});
  const auto is_denied = [](const absl::StatusOr<bool>& requested) {
    return absl::IsPermissionDenied(requested.status());
  };
  CHECK(is_denied(served.IsVetRequested(served.ada_.uid, "a1")));
  CHECK(is_denied(served.IsVetRequested(Uid(0), "a2")));
  CHECK(is_denied(served.IsVetRequested(Uid(0), "login1")));
  CHECK(is_denied(served.IsVetRequested(Uid(0), "a1", kReportVetRun)));
  CHECK(served.IsVetRequested(Uid(0), "a1").value());
  // Not where jobs run or may start, nor without a request.
  poll("ALLOCATED+DRAIN", 1);
  CHECK_FALSE(served.IsVetRequested(Uid(0), "a1").value());
  poll("IDLE", 0);
  CHECK_FALSE(served.IsVetRequested(Uid(0), "a1").value());
  poll("IDLE+DRAIN", 0);
  served.slurm_.set_reachable(false);
  served.slurm_.Poll();
  CHECK_FALSE(served.IsVetRequested(Uid(0), "a1").value());
  served.slurm_.set_reachable(true);
  served.slurm_.Poll();
  served.node_history_.SetVetRequested({"a2"});
  CHECK_FALSE(served.IsVetRequested(Uid(0), "a1").value());
}

TEST_CASE("agent service: a failed hook is in the node's history, once a job",
          "[backend]") {
  Served served;
  for (int i = 0; i < 3; ++i) {
    CHECK(served.ReportLog(Uid(0), served.HookReport("a1")) ==
          grpc::StatusCode::OK);
  }
  const auto entries = served.NodeEntries("a1");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].source == v1::NODE_ENTRY_SOURCE_HOOK);
  CHECK(entries[0].name == "carme-prolog");
}

TEST_CASE(
    "agent service: a failure of the Prolog is in the log by node and job",
    "[backend]") {
  Served served;
  v1::ReportLogRequest report = served.HookReport("a1");
  v1::ReportedLogLine* const other = report.add_lines();
  other->set_service("carme-backend");
  other->set_slurm_job_id(4'000'000);
  other->set_message("of a job that Slurm does not have");
  report.set_dropped(3);
  CHECK(served.ReportLog(Uid(0), report) == grpc::StatusCode::OK);
  const std::vector<LogRow> rows = served.LogRows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].service == "carme-prolog");
  CHECK(rows[1].node == "a1");
  CHECK(rows[1].job_id == served.job_.id.value());
  CHECK(rows[1].user == "ada");
  CHECK(rows[1].message == "no space left on device");
  CHECK(rows[0].service == "carme-hooks");
  CHECK(rows[0].job_id.empty());
  CHECK(rows[0].slurm_job_id == 4'000'000);
  served.clock_.Advance(absl::Minutes(1));
  REQUIRE(served.LogRows().size() == 3);
  CHECK(served.LogRows()[0].message.substr(0, 9) == "3 entries");
}

TEST_CASE("agent service: refuses unproved claims", "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kReport, served.ada_.uid, &request);  // another call's
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  request.set_port(34001);  // changed on the way
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  served.decoder_.Sign(kRegister, served.bob_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);

  request.set_munge("munged is away");
  CHECK(served.Register(request) == grpc::StatusCode::UNAVAILABLE);

  request.set_port(80);
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::INVALID_ARGUMENT);

  request = served.Registration();
  request.set_csr_pem("none");
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(served.Now(served.job_.id).agent.port == 0);
}

TEST_CASE("agent service: records refusals in the audit log", "[backend]") {
  Served served;
  served.Register(served.Registration());
  served.Report(v1::APP_STATE_READY, served.bob_.uid);
  const std::vector<AuditEntry> entries = served.Entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].act == "register-agent");
  CHECK(entries[0].result == "PERMISSION_DENIED: munge: Replayed credential");
  CHECK(entries[1].act == "report-state");
  CHECK(entries[1].actor_uid == served.bob_.uid.value());
  for (const AuditEntry& entry : entries) {
    CHECK(entry.decision == "refuse");
    CHECK(entry.source == "127.0.0.1");
  }
}

TEST_CASE(
    "agent service: while Slurm ends a job its user alone reports results",
    "[backend]") {
  Served served;
  served.job_ =
      served.Submit(served.ada_, "", {.stage_out = {{"out", "~/out"}}}).value();
  served.slurm_.Run(served.job_.slurm_id);
  served.slurm_.Poll();
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  CHECK(served.response_.stage().out(0).to() == "~/out");
  served.slurm_.End(served.job_.slurm_id, SlurmState::kCompleting);
  // Newer than each claim, which otherwise would wait for a look that is.
  served.slurm_.PollAskedAt(served.clock_.Now() + absl::Minutes(1));
  const auto report = [&](Uid uid, const std::string& app) {
    return served.Report(v1::APP_STATE_STARTING, uid, "1 of 2 GB", app);
  };
  CHECK(report(served.bob_.uid, "stage-out") ==
        grpc::StatusCode::PERMISSION_DENIED);
  CHECK(report(served.ada_.uid, "jupyter") ==
        grpc::StatusCode::PERMISSION_DENIED);
  // Nothing was to be copied in.
  CHECK(report(served.ada_.uid, "stage-in") != grpc::StatusCode::OK);
  CHECK(report(served.ada_.uid, "stage-out") == grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).apps ==
        std::vector<JobApp>{
            {"stage-out", v1::JOB_APP_STATE_STARTING, "1 of 2 GB"}});
}

TEST_CASE(
    "agent service: no job starts in an ended project, and a running one "
    "continues",
    "[backend]") {
  Served served;
  JobSpec spec;
  spec.project = served.AdasProject();
  const Job runs = served.Submit(served.ada_, "", spec).value();
  const Job waits = served.Submit(served.ada_, "", spec).value();
  const auto register_agent = [&](const Job& job) {
    served.job_ = job;
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, served.ada_.uid, &request);
    return served.Register(request);
  };
  served.slurm_.Run(runs.slurm_id);
  served.slurm_.Run(waits.slurm_id);
  served.slurm_.Poll();
  REQUIRE(register_agent(runs) == grpc::StatusCode::OK);
  REQUIRE_THAT(served.projects_->ApplyAction(PersonOf(served.ada_),
                                             ProjectId(spec.project),
                                             v1::PROJECT_ACTION_CLOSE),
               IsOk());
  CHECK(register_agent(waits) == grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(served.Now(waits.id).agent.port == 0);
  CHECK(register_agent(runs) == grpc::StatusCode::OK);
}

TEST_CASE("agent service: a credential works once", "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::OK);
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);
}

TEST_CASE("agent service: a report before the registration is refused",
          "[backend]") {
  Served served;
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid, "", "jupyter") ==
        grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid) ==
        grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid, "", "vim") ==
        grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(served.Report(v1::APP_STATE_UNSPECIFIED, served.ada_.uid) ==
        grpc::StatusCode::INVALID_ARGUMENT);
}

// A stream and its messages.
struct Stream {
  Stream(Served& served, const v1::WatchJobRequest& request)
      : reader(served.stub_->WatchJob(&call, request)) {}
  bool Read() { return reader->Read(&news); }
  grpc::StatusCode End() { return reader->Finish().error_code(); }

  CallBy call{""};
  v1::WatchJobResponse news;
  std::unique_ptr<grpc::ClientReader<v1::WatchJobResponse>> reader;
};

TEST_CASE("agent service: only the job's own agent may follow", "[backend]") {
  Served served;
  v1::WatchJobRequest altered = served.FollowBy(served.ada_.uid);
  altered.set_slurm_job_id(altered.slurm_job_id() + 1);
  v1::WatchJobRequest unknown;
  unknown.set_munge("munged is away");
  const std::pair<v1::WatchJobRequest, grpc::StatusCode> rows[] = {
      {{}, grpc::StatusCode::PERMISSION_DENIED},
      {served.FollowBy(served.bob_.uid), grpc::StatusCode::PERMISSION_DENIED},
      {served.FollowBy(served.ada_.uid, kReport),
       grpc::StatusCode::PERMISSION_DENIED},
      {altered, grpc::StatusCode::PERMISSION_DENIED},
      {unknown, grpc::StatusCode::UNAVAILABLE}};
  for (const auto& [request, code] : rows) {
    Stream stream(served, request);
    CHECK_FALSE(stream.Read());
    CHECK(stream.End() == code);
  }
}

TEST_CASE("agent service: a running agent gets the proxy's CA and changes",
          "[backend]") {
  Served served;
  Stream stream(served, served.FollowBy(served.ada_.uid));
  REQUIRE(stream.Read());
  CHECK(stream.news.proxy_trust().ca_pem() == "proxy CA");
  CHECK(stream.news.proxy_trust().crl_pem().empty());
  served.SetTrust("proxy CA", "a list");
  REQUIRE(stream.Read());
  CHECK(stream.news.proxy_trust().ca_pem() == "proxy CA");
  CHECK(stream.news.proxy_trust().crl_pem() == "a list");
}

TEST_CASE("agent service: only a job's own agent reports its use",
          "[backend]") {
  Served served;
  const auto say = [&](Uid uid, const v1::JobUse& use) {
    v1::WatchJobRequest request;
    request.set_slurm_job_id(served.job_.slurm_id.value());
    *request.mutable_use() = use;
    served.decoder_.Sign(kFollow, uid, &request);
    Stream stream(served, request);
    const bool heard = stream.Read();
    CHECK(heard == (uid == served.ada_.uid));
    return served.activity_.reports();
  };
  v1::JobUse use;
  CHECK(say(served.ada_.uid, use).empty());  // it sees nothing
  use.set_work_s(70);
  use.set_input_s(600);
  CHECK(say(served.bob_.uid, use).empty());
  const auto uses = say(served.ada_.uid, use);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].first == served.job_.id);
  CHECK(uses[0].second.unused == absl::Seconds(70));
  CHECK(uses[0].second.input == absl::Seconds(600));
}

TEST_CASE("agent service: an agent without a registration is asked for one",
          "[backend]") {
  Served served;
  Stream before(served, served.FollowBy(served.ada_.uid));
  REQUIRE(before.Read());
  CHECK(before.news.register_again());
  REQUIRE_THAT(
      served.admission_->Register(served.job_.id, {"127.0.0.1", 34000}),
      IsOk());
  Stream after(served, served.FollowBy(served.ada_.uid));
  REQUIRE(after.Read());
  CHECK_FALSE(after.news.register_again());
}

TEST_CASE("agent service: a job has one stream, the newest", "[backend]") {
  Served served;
  Stream first(served, served.FollowBy(served.ada_.uid));
  REQUIRE(first.Read());
  Stream second(served, served.FollowBy(served.ada_.uid));
  REQUIRE(second.Read());
  CHECK_FALSE(first.Read());
  CHECK(first.End() == grpc::StatusCode::ABORTED);
  served.SetTrust("another", "");
  REQUIRE(second.Read());
  CHECK(second.news.proxy_trust().ca_pem() == "another");
  // The agent has not gone.
  CHECK(served.slurm_.Followed().empty());
}

TEST_CASE("agent service: queries Slurm for a job whose agent disconnected",
          "[backend]") {
  Served served;
  Stream stream(served, served.FollowBy(served.ada_.uid));
  REQUIRE(stream.Read());
  CHECK(served.slurm_.Followed().empty());
  stream.call.TryCancel();
  CHECK(testing::WaitFor([&] {
    return served.slurm_.Followed() ==
           std::vector<SlurmJobId>{served.job_.slurm_id};
  }));
}

// The look at Slurm takes up to three seconds: it must not hold up the streams
// of those who are in.
TEST_CASE("agent service: claims that wait for Slurm hold up no stream",
          "[backend]") {
  Served served;
  Stream stream(served, served.FollowBy(served.ada_.uid));
  REQUIRE(stream.Read());
  // Held up, it would be so each time; on a busy machine it may be late once.
  bool at_once = false;
  for (int round = 0; round < 10 && !at_once; ++round) {
    std::list<Stream> waiting;
    for (int i = 0; i < 6; ++i) {
      v1::WatchJobRequest request;
      request.set_slurm_job_id(999);
      served.decoder_.Sign(kFollow, served.bob_.uid, &request);
      waiting.emplace_back(served, request);
    }
    const absl::Time start = absl::Now();
    served.SetTrust(absl::StrCat("another ", round), "");
    REQUIRE(stream.Read());
    at_once = absl::Now() - start < absl::Seconds(1.5);
  }
  CHECK(at_once);
}

// A job of Ada's that is to make an image, as ImportImage makes it, or with a
// base as BuildEnvironmentImage does.
void MakeImageJob(Served* served, const v1::ImageRecipe& recipe = {}) {
  ImageRecord record;
  record.image.id = "ada/x:1";
  record.image.owner = "ada";
  record.image.owner_uid = served->ada_.uid;
  record.state = v1::IMAGE_STATE_BUILDING;
  record.source = v1::IMAGE_SOURCE_OCI_ARCHIVE;
  record.source_path = "~/x.tar";
  if (!recipe.base().empty()) {
    record.source = v1::IMAGE_SOURCE_DEFINITION;
    record.source_path.clear();
    record.recipe = recipe;
  }
  REQUIRE_THAT(served->images_->Add(record), IsOk());
  served->job_ =
      served->Submit(served->ada_, "", {.name = "x", .builds = "ada/x:1"})
          .value();
  served->slurm_.Run(served->job_.slurm_id);
  served->slurm_.Poll();
}

TEST_CASE("agent service: only the job of an image may report it",
          "[backend]") {
  Served served;
  const SlurmJobId app_job = served.job_.slurm_id;
  MakeImageJob(&served);
  const auto report = [&](SlurmJobId job, Uid uid, const std::string& path) {
    CallBy call("");
    v1::ReportImageRequest request;
    request.set_slurm_job_id(job.value());
    request.set_path(path);
    request.set_sha256(std::string(64, 'd'));
    request.set_size_bytes(7);
    served.decoder_.Sign(kReportImage, uid, &request);
    v1::ReportImageResponse response;
    return served.stub_->ReportImage(&call, request, &response).error_code();
  };
  using grpc::StatusCode;
  const SlurmJobId job = served.job_.slurm_id;
  const Uid ada = served.ada_.uid, bob = served.bob_.uid;
  CHECK(report(job, bob, "/x.sif") == StatusCode::PERMISSION_DENIED);
  CHECK(report(app_job, ada, "/x.sif") == StatusCode::PERMISSION_DENIED);
  CHECK(report(job, ada, "x.sif") == StatusCode::INVALID_ARGUMENT);
  CHECK(report(job, ada, "/a:/etc") == StatusCode::INVALID_ARGUMENT);
  CHECK_FALSE(served.images_->ForStart("ada/x:1", "ada", served.ada_.uid).ok());

  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, ada, &request);
  REQUIRE(served.Register(request) == StatusCode::OK);
  CHECK(served.response_.apps_size() == 0);
  CHECK_FALSE(served.response_.has_environment());
  const v1::ImageBuildPlan& plan = served.response_.image_build();
  CHECK(plan.name() == "ada/x:1");
  CHECK(plan.source() == v1::IMAGE_SOURCE_OCI_ARCHIVE);
  CHECK(plan.path() == "~/x.tar");
  CHECK(plan.output() == "x@1.sif");
  CHECK(report(job, ada, "/home/ada/x.sif") == StatusCode::OK);
  const auto image =
      served.images_->ForStart("ada/x:1", "ada", served.ada_.uid);
  REQUIRE_THAT(image, IsOk());
  CHECK(image->path == "/home/ada/x.sif");
  CHECK(image->sha256 == std::string(64, 'd'));
  // What was made stays as it is.
  CHECK(report(job, ada, "/home/ada/y.sif") == StatusCode::PERMISSION_DENIED);
}

TEST_CASE("agent service: packages that are not allowed any more are refused",
          "[backend]") {
  v1::ImageRecipe recipe;
  recipe.set_base("base:1");
  recipe.add_pip_packages("torch>=2.7");
  for (const bool allowed : {false, true}) {
    Served served;
    if (allowed) {
      served.config_.environments.packages.pip_index_url =
          "https://pip.example/simple";
    }
    MakeImageJob(&served, recipe);
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, served.ada_.uid, &request);
    const grpc::StatusCode code = served.Register(request);
    if (!allowed) {
      CHECK(code == grpc::StatusCode::FAILED_PRECONDITION);
      continue;
    }
    REQUIRE(code == grpc::StatusCode::OK);
    const v1::ImageBuildPlan& plan = served.response_.image_build();
    CHECK(plan.path().empty());
    CHECK(plan.output() == "x@1.sif");
    CHECK(plan.recipe().base_path() == "/images/base.sif");
    CHECK(plan.recipe().base_sha256() == std::string(64, 'a'));
    CHECK(plan.recipe().pip_index_url() == "https://pip.example/simple");
    CHECK(plan.recipe().debian_mirror_url().empty());
    CHECK(plan.recipe().recipe().pip_packages(0) == "torch>=2.7");
  }
}

TEST_CASE("agent service: a refused registration is the reason on the card",
          "[backend]") {
  Served served;
  MakeImageJob(&served);
  // Removed while its job waited.
  REQUIRE_THAT(served.images_->Remove("ada/x:1", served.ada_.uid), IsOk());
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::FAILED_PRECONDITION);
  const Job job = served.Now(served.job_.id);
  CHECK(job.state == v1::JOB_STATE_STOPPING);
  CHECK(job.reason.text == "this job does not build an image \"ada/x:1\"");
}

TEST_CASE("agent service: a repeated registration ends no job that runs",
          "[backend]") {
  Served served;
  MakeImageJob(&served);
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  REQUIRE_THAT(served.images_->Remove("ada/x:1", served.ada_.uid), IsOk());
  // Its first answer was lost.
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(served.Now(served.job_.id).state == v1::JOB_STATE_STARTING);
}

TEST_CASE(
    "agent service: a shared image is staged by its owner, stored by the "
    "account, and then starts for others",
    "[backend]") {
  Served served;
  served.config_.shared_images = {
      .directory = "/shared", .account = "carme-images", .partition = ""};
  const Session account = SessionOf("carme-images", 20010);
  ImageRecord record;
  record.image.id = "ada/x:1";
  record.image.owner = "ada";
  record.image.owner_uid = served.ada_.uid;
  record.image.path = "/home/ada/x.sif";
  record.image.sha256.assign(64, 'd');
  record.size_bytes = 7;
  record.copy = {.state = v1::IMAGE_COPY_STATE_STAGING,
                 .path = "/shared/incoming/r.sif"};
  REQUIRE_THAT(served.images_->Add(record), IsOk());
  const auto start = [&](const Session& who) {
    served.job_ =
        served.Submit(who, "", {.name = "x", .builds = "ada/x:1"}).value();
    served.slurm_.Run(served.job_.slurm_id);
    served.slurm_.Poll();
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, who.uid, &request);
    return served.Register(request);
  };
  const auto report = [&](Uid uid, const std::string& path) {
    v1::ReportImageRequest request;
    request.set_slurm_job_id(served.job_.slurm_id.value());
    request.set_path(path);
    request.set_sha256(std::string(64, 'd'));
    request.set_size_bytes(7);
    served.decoder_.Sign(kReportImage, uid, &request);
    CallBy call("");
    v1::ReportImageResponse response;
    return served.stub_->ReportImage(&call, request, &response).error_code();
  };
  const std::string stored = "/shared/store/" + std::string(64, 'd') + ".sif";

  REQUIRE(start(served.ada_) == grpc::StatusCode::OK);
  v1::ImageBuildPlan plan = served.response_.image_build();
  CHECK(plan.task() == v1::IMAGE_TASK_STAGE);
  CHECK(plan.path() == "/home/ada/x.sif");
  CHECK(plan.output() == "/shared/incoming/r.sif");
  CHECK(plan.sha256() == std::string(64, 'd'));
  CHECK(plan.size_bytes() == 7);
  // The owner's job cannot say that it is stored: it has failed then.
  SECTION("another file than the staged one") {
    CHECK(report(served.ada_.uid, stored) == grpc::StatusCode::OK);
    CHECK(served.Copy().state == v1::IMAGE_COPY_STATE_FAILED);
    return;
  }
  CHECK(report(served.ada_.uid, plan.output()) == grpc::StatusCode::OK);
  CHECK(served.Copy().state == v1::IMAGE_COPY_STATE_STORING);
  CHECK(report(served.ada_.uid, stored) == grpc::StatusCode::PERMISSION_DENIED);
  REQUIRE_THAT(served.images_->Change("ada/x:1",
                                      [&](ImageRecord* known) {
                                        known->copy.uid = account.uid;
                                        return absl::OkStatus();
                                      }),
               IsOk());
  REQUIRE(start(account) == grpc::StatusCode::OK);
  plan = served.response_.image_build();
  CHECK(plan.task() == v1::IMAGE_TASK_STORE);
  CHECK(plan.path() == "/shared/incoming/r.sif");
  CHECK(plan.output() == stored);
  REQUIRE(plan.keep_size() == 2);
  CHECK(stored.ends_with("/" + plan.keep(0)));
  CHECK(plan.keep(1) == "r.sif");
  CHECK(report(account.uid, stored) == grpc::StatusCode::OK);
  CHECK(served.Copy().state == v1::IMAGE_COPY_STATE_READY);
  CHECK(served.Copy().path == stored);
  CHECK(served.Copy().uid == account.uid);
}

TEST_CASE("agent service: a check sets only unknown values", "[backend]") {
  Served served;
  ImageRecord record;
  record.image.id = "torch:2";
  record.image.path = "/images/torch.sif";
  record.state = v1::IMAGE_STATE_BUILDING;
  record.check.pending = true;
  REQUIRE_THAT(served.images_->Add(record), IsOk());
  const auto check = [&](const std::string& path, char digit) {
    served.job_ =
        served.Submit(served.ada_, "", {.name = "x", .builds = "torch:2"})
            .value();
    served.slurm_.Run(served.job_.slurm_id);
    served.slurm_.Poll();
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, served.ada_.uid, &request);
    REQUIRE(served.Register(request) == grpc::StatusCode::OK);
    CHECK(served.response_.image_build().task() == v1::IMAGE_TASK_CHECK);
    CHECK(served.response_.image_build().path() == "/images/torch.sif");
    v1::ReportImageRequest report;
    report.set_slurm_job_id(served.job_.slurm_id.value());
    report.set_path(path);
    report.set_sha256(std::string(64, digit));
    report.set_size_bytes(7);
    served.decoder_.Sign(kReportImage, served.ada_.uid, &report);
    CallBy call("");
    v1::ReportImageResponse response;
    CHECK_THAT(served.stub_->ReportImage(&call, report, &response), IsOk());
    return served.images_
        ->Change("torch:2",
                 [&](ImageRecord* known) {
                   known->check.pending = true;  // for the next
                   return absl::OkStatus();
                 })
        .value();
  };
  ImageRecord now = check("/images/torch.sif", 'd');
  CHECK(now.state == v1::IMAGE_STATE_ACTIVE);
  CHECK(now.image.sha256 == std::string(64, 'd'));
  CHECK(now.size_bytes == 7);
  CHECK(now.check.problem.empty());
  // The digest that was recorded stays.
  now = check("/images/torch.sif", 'e');
  CHECK(now.image.sha256 == std::string(64, 'd'));
  CHECK(now.check.problem == "the file's SHA-256 is " + std::string(64, 'e') +
                                 ": expected " + std::string(64, 'd'));
  CHECK(now.state == v1::IMAGE_STATE_ACTIVE);
}

TEST_CASE("agent service: a job gets the environment of its submission",
          "[backend]") {
  Served served;
  const auto register_in = [&](const std::string& environment) {
    JobSpec spec;
    spec.environment = environment;
    served.job_ = served.Submit(served.ada_, "", spec).value();
    served.slurm_.Run(served.job_.slurm_id);
    served.slurm_.Poll();
    // changed, and gone: what counts is what was submitted
    served.environments_->Delete(served.ada_, environment).IgnoreError();
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, served.ada_.uid, &request);
    return served.Register(request);
  };
  const auto saved = served.environments_->Save(
      served.ada_, "torch", "image = \"store#base\"\nworkdir = \"./x\"", 0);
  REQUIRE_THAT(saved, IsOk());
  REQUIRE(register_in("torch") == grpc::StatusCode::OK);
  const v1::EnvironmentPlan page = served.response_.environment();
  CHECK(page.runtime() == v1::RUNTIME_EDF);
  CHECK(page.image_name() == "torch");
  CHECK(page.image().empty());
  CHECK(page.edf().rendered().find("image = \"/images/base.sif\"") !=
        std::string::npos);
  CHECK(page.edf().rendered().find("workdir = \"/home/ada/x\"") !=
        std::string::npos);
  CHECK(page.edf().image_sha256() == std::string(64, 'a'));
  CHECK_FALSE(page.has_image_store_uid());
  CHECK(served.response_.apps_size() == 2);  // any may be tried

  // The agent checks who can change a copy in the directory for shared images.
  ImageRecord copy;
  copy.image.id = "shared:1";
  copy.image.path = "/shared/store/d.sif";
  copy.image.sha256.assign(64, 'd');
  copy.image.store_uid = Uid(990);
  REQUIRE_THAT(served.images_->Add(copy), IsOk());
  REQUIRE_THAT(served.environments_->Save(served.ada_, "shared",
                                          "image = \"store#shared:1\"", 0),
               IsOk());
  REQUIRE(register_in("shared") == grpc::StatusCode::OK);
  CHECK(served.response_.environment().image_store_uid() == 990);

  REQUIRE(register_in("~/job.toml") == grpc::StatusCode::OK);
  const v1::EnvironmentPlan file = served.response_.environment();
  CHECK(file.runtime() == v1::RUNTIME_EDF);
  CHECK(file.edf().path() == "~/job.toml");
}

// An agent's report about its one node.
v1::LinkedJob JobOnNode(const std::string& node, char key) {
  v1::LinkedJob job;
  job.add_nodes()->set_name(node);
  job.mutable_nodes(0)->set_address("127.0.0.1");
  const std::string line = absl::StrCat(
      "ssh-ed25519 ",
      absl::Base64Escape(std::string("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19) +
                         std::string(32, key)));
  job.set_user_key(line);
  job.set_host_key(line);
  return job;
}

// The next message with linked jobs.
v1::LinkedJobs NextLinkedJobs(Stream* stream) {
  while (stream->Read()) {
    if (stream->news.has_linked_jobs()) return stream->news.linked_jobs();
  }
  FAIL("the stream has ended");
  return {};
}

TEST_CASE(
    "agent service: a linked job gets the other job's image, and both their "
    "nodes",
    "[backend]") {
  Served served;
  const Uid ada = served.ada_.uid;
  const auto enter = [&](const Job& job) {
    served.job_ = job;
    v1::RegisterRequest request = served.Registration();
    served.decoder_.Sign(kRegister, ada, &request);
    return served.Register(request);
  };
  const auto follow = [&](const Job& job, const v1::LinkedJob& reported) {
    v1::WatchJobRequest request;
    request.set_slurm_job_id(job.slurm_id.value());
    *request.mutable_job() = reported;
    served.decoder_.Sign(kFollow, ada, &request);
    return request;
  };
  const Job first = served.job_;
  REQUIRE(enter(first) == grpc::StatusCode::OK);
  // An app's state is not the job's, and no other job joins anything.
  CHECK(served.Report(v1::APP_STATE_READY, ada) ==
        grpc::StatusCode::INVALID_ARGUMENT);
  REQUIRE(served.Report(v1::APP_STATE_READY, ada, "", "jupyter") ==
          grpc::StatusCode::OK);
  Stream of_first(served, follow(first, JobOnNode("a1", 'f')));
  CHECK(NextLinkedJobs(&of_first).jobs_size() == 1);

  JobSpec spec;
  spec.linked_to = first.id.value();
  const auto linked_job_on = [&](const std::string& node) {
    const Job job = served.Submit(served.ada_, "", spec).value();
    SlurmJob slurm =
        SlurmJobOf(job.slurm_id, job.id, ada, SlurmState::kRunning);
    slurm.nodes = {node};
    served.slurm_.Put(slurm);
    served.slurm_.Poll();
    return job;
  };
  const Job refused = linked_job_on("a1");  // the job's own
  CHECK(enter(refused) == grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(served.Now(refused.id).reason.text.find("Slurm gave it node \"a1\"") ==
        0);
  const Job linked = linked_job_on("a2");
  REQUIRE(enter(linked) == grpc::StatusCode::OK);
  CHECK(served.response_.linked_to() == first.id.value());
  CHECK(served.response_.apps_size() == 0);
  CHECK(served.response_.app().empty());
  CHECK(served.response_.environment().image() == "/images/base.sif");

  Stream of_linked(served, follow(linked, JobOnNode("a2", 'c')));
  for (Stream* stream : {&of_first, &of_linked}) {
    const v1::LinkedJobs both = NextLinkedJobs(stream);
    REQUIRE(both.jobs_size() == 2);
    CHECK(both.jobs(0).job_id() == first.id.value());
    CHECK(both.jobs(1).nodes(0).name() == "a2");
  }
  REQUIRE(served.Report(v1::APP_STATE_READY, ada) == grpc::StatusCode::OK);
  CHECK(served.Now(linked.id).state == v1::JOB_STATE_READY);
  REQUIRE_THAT(served.jobs_->Stop(served.ada_, first.id, "r"), IsOk());
  CHECK(NextLinkedJobs(&of_linked).jobs_size() == 0);
}

TEST_CASE("agent service: a batch job gets its program and no certificate",
          "[backend]") {
  Served served;
  JobSpec spec;
  spec.batch = BatchSpec{.command = "make", .output = "out-%a", .array = "0-1"};
  served.job_ = served.Submit(served.ada_, "", spec).value();
  SlurmJob task = SlurmJobOf(SlurmJobId(900), served.job_.id, served.ada_.uid,
                             SlurmState::kRunning);
  task.array = served.job_.slurm_id;
  task.task = 1;
  served.slurm_.Put(task);
  // A job of the user's own that is no task of it.
  task.id = SlurmJobId(901);
  task.array = SlurmJobId(77);
  served.slurm_.Put(task);
  served.slurm_.Poll();
  v1::RegisterRequest request = served.Registration();
  request.set_slurm_job_id(901);
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  CHECK(served.Register(request) == grpc::StatusCode::PERMISSION_DENIED);
  request.set_slurm_job_id(900);
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  const v1::RegisterResponse& got = served.response_;
  CHECK(got.batch().command() == "make");
  CHECK(got.batch().output() == "out-%a");
  CHECK(got.app().empty());
  CHECK(got.apps_size() == 0);
  CHECK(got.certificate_pem().empty());
  CHECK(got.environment().image() == "/images/base.sif");
  served.job_.slurm_id = SlurmJobId(900);
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid, "", "jupyter") ==
        grpc::StatusCode::INVALID_ARGUMENT);
  REQUIRE(served.Report(v1::APP_STATE_READY, served.ada_.uid) ==
          grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).state == v1::JOB_STATE_READY);
}

TEST_CASE("agent service: at a site of paths each app has its base",
          "[backend]") {
  Served served;
  served.config_.jobs_domain.clear();
  served.config_.jobs_host = "carme-jobs.test";
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  const v1::RegisterResponse& got = served.response_;
  REQUIRE(got.apps_size() == 2);
  const std::string id = served.job_.id.value();
  CHECK(got.apps(0).public_host() == "carme-jobs.test");
  CHECK(got.apps(0).base_path() == "/" + id + "/");
  CHECK(got.apps(1).base_path() == "/" + id + "-code/");
  CHECK(got.apps(0).ready_path() == "/api");
}

TEST_CASE("agent service: an agent with reverse tunnels has no port",
          "[backend]") {
  Served served({"192.0.2.10:8444"});
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  REQUIRE(served.response_.dial_size() == 1);
  CHECK(served.response_.dial(0) == "192.0.2.10:8444");
  CHECK(served.Now(served.job_.id).agent ==
        AgentEndpoint{"127.0.0.1", kDialsOut});
}

TEST_CASE("agent service: an agent gets its plan and reports ready",
          "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  const v1::RegisterResponse& got = served.response_;
  CHECK(got.job_id() == served.job_.id.value());
  CHECK(got.app() == "jupyter");
  CHECK(absl::StartsWith(got.certificate_pem(), "-----BEGIN CERTIFICATE"));
  CHECK(got.proxy_ca_pem() == "proxy CA");
  REQUIRE(got.apps_size() == 2);
  CHECK(got.apps(0).id() == "jupyter");
  CHECK(got.apps(0).command(1) == "{socket}");
  const std::string id = served.job_.id.value();
  CHECK(got.apps(0).public_host() == id + ".jobs.carme.test:8443");
  CHECK(got.apps(1).public_host() == id + "-code.jobs.carme.test:8443");
  CHECK(got.apps(1).base_path() == "/");
  CHECK(got.environment().runtime() == v1::RUNTIME_APPTAINER);
  CHECK(got.environment().image() == "/images/base.sif");
  CHECK(got.environment().image_sha256() == std::string(64, 'a'));
  REQUIRE(got.environment().binds_size() == 1);
  CHECK(got.environment().binds(0).source() == "/data/ada");
  CHECK(got.environment().binds(0).read_only());
  CHECK(served.Now(served.job_.id).agent == AgentEndpoint{"127.0.0.1", 34000});
  CHECK(got.dial_size() == 0);
  CHECK(served.Report(v1::APP_STATE_STARTING, served.ada_.uid, "", "jupyter") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).state == v1::JOB_STATE_STARTING);
  CHECK(served.Report(v1::APP_STATE_READY, served.ada_.uid, "", "jupyter") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).state == v1::JOB_STATE_READY);
  CHECK(served.Report(v1::APP_STATE_FAILED, served.ada_.uid, "no licence",
                      "code") == grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).state == v1::JOB_STATE_READY);
  CHECK(served.Now(served.job_.id).apps ==
        std::vector<JobApp>{{"jupyter", v1::JOB_APP_STATE_READY, ""},
                            {"code", v1::JOB_APP_STATE_FAILED, "no licence"}});
  CHECK(served.Report(v1::APP_STATE_ENDED, served.ada_.uid, "it crashed") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).reason.text == "it crashed");
}

TEST_CASE("agent service: keeps the code of a detail only if it is valid",
          "[backend]") {
  Served served;
  v1::RegisterRequest request = served.Registration();
  served.decoder_.Sign(kRegister, served.ada_.uid, &request);
  REQUIRE(served.Register(request) == grpc::StatusCode::OK);
  DisplayText detail = "ended with exit code 3";
  detail.code = "AGENT_ENDED";
  detail.parameters.push_back({"exit_code", "3"});
  DisplayText hostile = detail;
  hostile.parameters[0].name = "__proto__";
  CHECK(served.Report(v1::APP_STATE_FAILED, served.ada_.uid, hostile, "code") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).apps.at(0).detail ==
        DisplayText(detail.text));
  CHECK(served.Report(v1::APP_STATE_FAILED, served.ada_.uid, detail, "code") ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).apps.at(0).detail == detail);
  CHECK(served.Report(v1::APP_STATE_ENDED, served.ada_.uid, detail) ==
        grpc::StatusCode::OK);
  CHECK(served.Now(served.job_.id).reason == detail);
}

}  // namespace
}  // namespace carme::backend
