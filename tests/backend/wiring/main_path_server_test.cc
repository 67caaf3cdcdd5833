// The backend as a program, with the real impersonator, Slurm, MUNGE,
// directory and agent: from the log-in to an app that can be opened, and what
// is left of it after each of them was killed.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/store/database.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "common/file.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/monitoring_files.h"
#include "tests/support/servers/backend_process.h"
#include "tests/support/signals.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

constexpr char kAgentConfig[] = "/etc/carme/agent.toml";
constexpr char kAgent[] = "/opt/carme/libexec/carme/carme-agent";

// ctest reads 77 as a skip.
const bool installed = [] {
  if (access(kAgent, X_OK) == 0) return true;
  std::fprintf(stderr, "skipped: %s is not there\n", kAgent);
  std::_Exit(77);
}();

std::string PasswordOf(const std::string& name) {
  std::istringstream people(std::getenv("CARME_TEST_USERS"));
  for (std::string person; people >> person;) {
    if (person.rfind(name + ":", 0) == 0) {
      return person.substr(person.rfind(':') + 1);
    }
  }
  return "";
}

// The whole site; one person uses it.
class Site {
 public:
  // `more` is of the backend's configuration.
  explicit Site(const std::string& more = "")
      : impersonator_(absl::StrCat("agent = \"", kAgent,
                                   "\"\nagent_config = \"", kAgentConfig,
                                   "\"\n")),
        backend_(impersonator_.socket(), Apps() + more) {
    REQUIRE(installed);
    const std::string text = absl::StrCat(
        "backend = \"head:9444\"\nbackend_name = "
        "\"carme-backend\"\nca = \"",
        backend_.ca_file(), "\"\n");
    REQUIRE_THAT(WriteFile(dir_.File("agent.toml"), text, 0644), IsOk());
    OnNodes(absl::StrCat("cp ", dir_.File("agent.toml"), " ", kAgentConfig));
    token_ = backend_.LogIn("ada", PasswordOf("ada"));
    Connect();
  }
  ~Site() {
    impersonator::OutputOf("scancel -f --user=ada 2>&1");
    WaitFor([] { return impersonator::OutputOf("squeue -h -u ada").empty(); });
    OnNodes(absl::StrCat("rm ", kAgentConfig));
  }

  // An app in two lines of Python: it answers every GET.
  std::string Apps() {
    REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
    REQUIRE_THAT(WriteFile(dir_.File("app.py"),
                           "import sys, http.server, socketserver\n"
                           "class App(http.server.SimpleHTTPRequestHandler):\n"
                           "  def address_string(self): return 'x'\n"
                           "  def do_GET(self):\n"
                           "    self.send_response(200)\n"
                           "    self.end_headers()\n"
                           "socketserver.UnixStreamServer(sys.argv[1], App)"
                           ".serve_forever()\n",
                           0644),
                 IsOk());
    return absl::StrCat("[[apps]]\nid = \"echo\"\nname = \"Echo\"\ncommand = ",
                        "[\"/usr/bin/python3\", \"", dir_.File("app.py"),
                        "\", \"{socket}\"]\nready_path = \"/\"\n");
  }

  void Connect() {
    const auto channel = backend_.ConnectAs("frontend");
    jobs_ = v1::JobService::NewStub(channel);
    cluster_ = v1::ClusterService::NewStub(channel);
    // Before the first poll every submission is UNAVAILABLE.
    REQUIRE(WaitFor([&] { return Cluster().slurm().reachable(); }));
  }

  v1::GetClusterResponse Cluster() {
    v1::GetClusterResponse response;
    SessionCall call(token_);
    cluster_->GetCluster(&call, {}, &response);
    return response;
  }
  grpc::Status Submit(const std::string& key, v1::Job* job, int gpus = 1) {
    v1::SubmitJobRequest request;
    request.set_idempotency_key(key);
    request.mutable_spec()->set_gpus_per_node(gpus);
    request.mutable_spec()->mutable_walltime()->set_seconds(600);
    v1::SubmitJobResponse response;
    SessionCall call(token_);
    const grpc::Status status = jobs_->SubmitJob(&call, request, &response);
    *job = response.job();
    return status;
  }
  v1::Job Get(const std::string& id) {
    v1::GetJobRequest request;
    request.set_job_id(id);
    v1::GetJobResponse response;
    SessionCall call(token_);
    jobs_->GetJob(&call, request, &response);
    return response.job();
  }
  // What an administrator's page shows of a part.
  v1::ComponentHealth HealthOf(v1::HealthComponent component) {
    if (admin_token_.empty()) {
      admin_token_ = backend_.LogIn("carol", PasswordOf("carol"));
    }
    const auto admin =
        v1::AdminService::NewStub(backend_.ConnectAs("frontend"));
    v1::GetHealthResponse response;
    SessionCall call(admin_token_);
    const grpc::Status status = admin->GetHealth(&call, {}, &response);
    INFO(status.error_message());
    CHECK_THAT(status, IsOk());
    for (const v1::ComponentHealth& health : response.components()) {
      if (health.component() == component) return health;
    }
    return {};
  }
  bool IsShown(v1::HealthComponent component, v1::HealthState state) {
    return WaitFor([&] { return HealthOf(component).state() == state; });
  }
  bool Becomes(const std::string& id, v1::JobState state) {
    if (WaitFor([&] { return Get(id).state() == state; })) return true;
    UNSCOPED_INFO(Get(id).ShortDebugString() << "\n" << backend_.Log());
    return false;
  }
  static void OnNodes(const std::string& command) {
    impersonator::OutputOf(
        "srun -Q -N2 --ntasks-per-node=1 --overlap --chdir=/ " + command);
  }
  std::vector<v1::Job> List() {
    v1::ListJobsResponse response;
    SessionCall call(token_);
    jobs_->ListJobs(&call, {}, &response);
    return {response.jobs().begin(), response.jobs().end()};
  }
  grpc::Status Stop(const std::string& id) {
    v1::StopJobRequest request;
    request.set_job_id(id);
    v1::StopJobResponse response;
    SessionCall call(token_);
    return jobs_->StopJob(&call, request, &response);
  }
  // What listens in the agents' range on the job's node. slurmstepd listens on
  // ephemeral ports, some of which are in that range.
  std::string Listeners(const std::string& id) {
    return impersonator::OutputOf(
        "srun -Q --overlap --chdir=/ -w " + Get(id).nodes(0) +
        " ss -Hltnp 'sport >= :34000 and sport <= :34999'"
        " | grep -v slurmstepd");
  }
  int JobsInSlurm() {
    return std::atoi(
        impersonator::OutputOf("squeue -h -u ada | wc -l").c_str());
  }

  TempDir dir_;
  impersonator::ImpersonatorProcess impersonator_;
  BackendProcess backend_;
  std::string token_;
  std::string admin_token_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::ClusterService::Stub> cluster_;
};

v1::WatchRoutesResponse FirstRoutes(BackendProcess& backend) {
  const auto stub = v1::RouteService::NewStub(backend.ConnectAs("proxy"));
  SessionCall call("");
  v1::WatchRoutesResponse routes;
  stub->WatchRoutes(&call, {})->Read(&routes);
  return routes;
}

TEST_CASE("main path: a limit refuses, and nothing reaches Slurm",
          "[backend]") {
  Site site;
  v1::Job job;
  const grpc::Status status = site.Submit("", &job, 3);
  CHECK_THAT(status, StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  CHECK(site.JobsInSlurm() == 0);
}

// What a scrape holds after one job, and what it must not hold.
void CheckMetrics(Site& site, const std::string& job) {
  const std::string metrics = site.backend_.Metrics();
  INFO(metrics);
  CHECK(testing::MissingMetrics("carme_backend_", metrics).empty());
  for (const char* part :
       {"rpc_requests_total{rpc=\"JobService/SubmitJob\",code=\"OK\"} 1\n",
        "rpc_seconds_count{rpc=\"JobService/SubmitJob\"} 1\n",
        "impersonator_operations_total{operation=\"submit\",code=\"OK\"} 1\n",
        "impersonator_operations_running 0\n", "sessions 1\n", "slurm_up 1\n",
        "audit_events_total{act=\"log-in\",decision=\"allow\"} 1\n",
        "slurm_polls_total{scope=\"full\",result=\"ok\"}",
        "database_operations_total{operation=\"commit\",result=\"ok\"}",
        "jobs{state=\"ready\"} 0\n",
        "component_state{component=\"database\",state=\"ok\"} 1\n",
        "certificate_remaining_seconds{owner=\"job CA\""}) {
    INFO(part);
    CHECK(metrics.find(std::string("\ncarme_backend_") + part) !=
          std::string::npos);
  }
  // Not more series with more users or jobs, and nothing about any of them.
  CHECK(std::count(metrics.begin(), metrics.end(), '\n') < 2000);
  for (const std::string& secret : {std::string("\"ada\""), job, site.token_}) {
    CHECK(metrics.find(secret) == std::string::npos);
  }
  CHECK(site.backend_.Probe("/healthz") == "HTTP/1.1 200 OK");
  CHECK(site.backend_.Probe("/readyz") == "HTTP/1.1 200 OK");
}

TEST_CASE("main path: log in, submit, ready, open, stop", "[backend]") {
  Site site;
  v1::Job job;
  REQUIRE_THAT(site.Submit("first", &job), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  CHECK(site.Get(job.id()).nodes_size() == 1);
  const v1::WatchRoutesResponse routes = FirstRoutes(site.backend_);
  REQUIRE(routes.routes_size() == 1);
  CHECK(routes.routes(0).job_id() == job.id());
  CHECK(routes.routes(0).port() >= 34000);
  CHECK(site.Listeners(job.id()) != "");
  v1::OpenAppRequest open;
  open.set_job_id(job.id());
  v1::OpenAppResponse opened;
  SessionCall call(site.token_);
  CHECK_THAT(site.jobs_->OpenApp(&call, open, &opened), IsOk());
  CHECK(opened.url().rfind("https://" + job.id() + ".jobs.carme.test/", 0) ==
        0);
  REQUIRE_THAT(site.Stop(job.id()), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_ENDED));
  CHECK(site.Get(job.id()).end() == v1::JOB_END_STOPPED);
  CHECK(FirstRoutes(site.backend_).routes_size() == 0);
  CheckMetrics(site, job.id());
  CHECK(site.backend_.Terminate() == 0);
}

TEST_CASE(
    "standby: waits while the active backend works, then serves its session "
    "and job",
    "[backend]") {
  Site site("[standby]\nenabled = true\nlease_s = 4\n");
  v1::Job job;
  REQUIRE_THAT(site.Submit("first", &job), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  site.backend_.StartStandby();
  sleep(1);  // time in which it would take over
  REQUIRE_THAT(site.Submit("second", &job), IsOk());
  site.backend_.Kill();
  // Nothing shows that the host of a process of another host has ended.
  CHECK(site.backend_.TakeOver() > 3);
  site.Connect();
  CHECK(site.List().size() == 2);
  CHECK(site.JobsInSlurm() == 2);
  v1::Job again;
  REQUIRE_THAT(site.Submit("second", &again), IsOk());
  CHECK(again.id() == job.id());
  CHECK(site.Becomes(job.id(), v1::JOB_STATE_READY));
  CHECK(site.backend_.Terminate() == 0);
}

// carme-proxy on the head, from which the firewall lets nothing pass to agents.
class Proxy {
 public:
  explicit Proxy(BackendProcess& backend) {
    const IssuedCertificate front =
        backend.Issue("DNS:carme.test,DNS:*.jobs.carme.test");
    const IssuedCertificate own = backend.Issue("URI:carme://proxy/dmz");
    ca_ = backend.ca_file();
    const std::string text = absl::StrCat(
        "listen = \"127.0.0.1:8443\"\nagents_listen = \"10.77.0.1:8444\"\n",
        "portal_host = \"carme.test\"\njobs_domain = \"jobs.carme.test\"\n",
        "state_directory = \"", dir_.path(), "\"\ncertificate = \"",
        front.certificate_file, "\"\nkey = \"", front.key_file,
        "\"\n[backend]\naddress = \"", backend.clients_address(), "\"\nca = \"",
        ca_, "\"\ncertificate = \"", own.certificate_file, "\"\nkey = \"",
        own.key_file, "\"\n");
    REQUIRE_THAT(WriteFile(dir_.File("proxy.toml"), text, 0600), IsOk());
    Start();
  }
  ~Proxy() { Kill(); }
  void Start() {
    const std::string config = dir_.File("proxy.toml");
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(CARME_PROXY, CARME_PROXY, "--config", config.c_str(), nullptr);
    _exit(127);
  }
  void Kill() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // The status of what a browser with this jar gets in the end.
  std::string Get(const std::string& url) const {
    return impersonator::OutputOf(absl::StrCat(
        "curl -sL -o /dev/null -w '%{http_code}' --max-time 60 --cacert ", ca_,
        " -c ", dir_.File("jar"), " -b ", dir_.File("jar"),
        " --connect-to ::127.0.0.1:8443 '", url, "'"));
  }

 private:
  TempDir dir_;
  std::string ca_;
  pid_t pid_ = -1;
};

TEST_CASE(
    "main path: an agent with a reverse tunnel is reached without a route to "
    "it",
    "[backend]") {
  Site site("[agents]\ndial = [\"10.77.0.1:8444\"]\n");
  Proxy proxy(site.backend_);
  v1::Job job;
  REQUIRE_THAT(site.Submit("first", &job), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  const v1::WatchRoutesResponse routes = FirstRoutes(site.backend_);
  REQUIRE(routes.routes_size() == 1);
  CHECK(routes.routes(0).port() == 0);
  CHECK(site.Listeners(job.id()) == "");
  v1::OpenAppRequest open;
  open.set_job_id(job.id());
  v1::OpenAppResponse opened;
  {
    SessionCall call(site.token_);
    REQUIRE_THAT(site.jobs_->OpenApp(&call, open, &opened), IsOk());
  }
  CHECK(proxy.Get(opened.url()) == "200");
  const std::string app = "https://" + job.id() + ".jobs.carme.test/";
  CHECK(proxy.Get(app) == "200");
  proxy.Kill();
  proxy.Start();
  CHECK(WaitFor([&] { return proxy.Get(app) == "200"; }));
  REQUIRE_THAT(site.Stop(job.id()), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_ENDED));
  CHECK(WaitFor([&] { return proxy.Get(app) != "200"; }));
}

TEST_CASE("main path: a killed backend finds every job again, none doubled",
          "[backend]") {
  Site site;
  v1::Job job;
  REQUIRE_THAT(site.Submit("key", &job), IsOk());
  site.backend_.KillAndRestart();
  site.Connect();
  v1::Job again;
  REQUIRE_THAT(site.Submit("key", &again), IsOk());
  CHECK(again.id() == job.id());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  CHECK(site.JobsInSlurm() == 1);
  site.backend_.KillAndRestart();
  site.Connect();
  CHECK(site.Get(job.id()).state() == v1::JOB_STATE_READY);
  CHECK(FirstRoutes(site.backend_).routes_size() == 1);
  CHECK(site.List().size() == 1);
}

TEST_CASE("main path: a restored backup loses no job and doubles none",
          "[backend]") {
  Site site;
  v1::Job kept, later;
  REQUIRE_THAT(site.Submit("kept", &kept), IsOk());
  const std::string file = site.dir_.File("backup");
  const std::string state = site.backend_.state_directory();
  const std::string carmectl = CARME_CARMECTL;
  const std::string saved = impersonator::OutputOf(absl::StrCat(
      carmectl, " backup ", file, " --state-dir ", state, " 2>&1"));
  INFO(saved);
  REQUIRE(saved.find("audit head: ") != std::string::npos);
  REQUIRE(site.Becomes(kept.id(), v1::JOB_STATE_READY));
  REQUIRE_THAT(site.Submit("later", &later), IsOk());
  REQUIRE(site.Becomes(later.id(), v1::JOB_STATE_READY));
  const std::string restore = absl::StrCat(
      carmectl, " restore ", file, " --state-dir ", state, " --replace 2>&1");
  CHECK(impersonator::OutputOf(restore).find("only one backend") !=
        std::string::npos);
  site.backend_.Kill();
  std::filesystem::remove_all(state);
  const std::string restored = impersonator::OutputOf(restore);
  INFO(restored);
  REQUIRE(restored.find("Start carme-backend") != std::string::npos);
  {
    // As if its agent had registered after the backup.
    const auto database =
        Database::OpenExisting(state + "/carme.db", Migrations()).value();
    REQUIRE_THAT(database->Query([](Database& self) -> absl::Status {
      return self
          .Prepare(absl::StrCat(
              "UPDATE jobs SET agent_port = 0, agent_address = '', "
              "ready_at = NULL, state = ",
              static_cast<int>(v1::JOB_STATE_STARTING)))
          ->Run();
    }),
                 IsOk());
  }
  site.backend_.StartAgain();

  const auto jobs =
      v1::JobService::NewStub(site.backend_.ConnectAs("frontend"));
  SessionCall ended(site.token_);
  v1::ListJobsResponse nothing;
  CHECK_THAT(jobs->ListJobs(&ended, {}, &nothing),
             StatusIs(grpc::StatusCode::UNAUTHENTICATED));
  // Carol is an administrator. She had no second factor before.
  site.token_ = site.backend_.LogIn("carol", PasswordOf("carol"));
  site.Connect();
  const auto admin =
      v1::AdminService::NewStub(site.backend_.ConnectAs("frontend"));
  const auto is_ready = [&](const std::string& id) {
    SessionCall call(site.token_);
    v1::ListAllJobsResponse all;
    admin->ListAllJobs(&call, {}, &all);
    for (const v1::OwnedJob& owned : all.jobs()) {
      if (owned.job().id() != id) continue;
      return owned.owner() == "ada" &&
             owned.job().state() == v1::JOB_STATE_READY;
    }
    return false;
  };
  CHECK(WaitFor([&] { return is_ready(kept.id()); }));
  CHECK(WaitFor([&] { return is_ready(later.id()); }));
  CHECK(site.JobsInSlurm() == 2);
  const v1::WatchRoutesResponse routes = FirstRoutes(site.backend_);
  REQUIRE(routes.routes_size() == 1);
  CHECK(routes.routes(0).job_id() == kept.id());
  CHECK(routes.routes(0).port() >= 34000);
}

// slurmctld takes connections, and answers none.
class Freeze {
 public:
  Freeze() {
    REQUIRE(pid_ > 1);
    REQUIRE(testing::Signal(pid_, SIGSTOP));
  }
  ~Freeze() { testing::Signal(pid_, SIGCONT); }

 private:
  const pid_t pid_ =
      std::atoi(ReadFile("/run/slurm/slurmctld.pid").value_or("0").c_str());
};

// Whether an act as ada has a connection to slurmctld.
bool AdaAsksSlurm() {
  return impersonator::OutputOf(
             "ss -Htne state established dst :6817 | grep -cw uid:20001") !=
         "0\n";
}

TEST_CASE("main path: killed after the submission, before its id is stored",
          "[backend]") {
  Site site;
  v1::Job lost, job;
  grpc::Status submitted;
  {
    const Freeze freeze;
    std::thread client([&] { submitted = site.Submit("key", &lost); });
    const bool asked = WaitFor(AdaAsksSlurm);
    // Both of them; Slurm continues the operation.
    site.impersonator_.KillAndRestart();
    site.backend_.KillAndRestart();
    client.join();
    REQUIRE(asked);
  }
  CHECK_THAT(submitted, StatusIs(grpc::StatusCode::UNAVAILABLE));
  site.Connect();
  // By the same key, as the page asks: the job that is there.
  REQUIRE_THAT(site.Submit("key", &job), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  CHECK(site.JobsInSlurm() == 1);
  REQUIRE_THAT(site.Submit("key", &lost), IsOk());
  CHECK(lost.id() == job.id());
  CHECK(site.List().size() == 1);
}

TEST_CASE("main path: without impersonator a submission is UNAVAILABLE",
          "[backend]") {
  Site site;
  REQUIRE(site.impersonator_.Terminate() == 0);
  v1::Job job;
  const grpc::Status status = site.Submit("key", &job);
  CHECK_THAT(status, StatusIs(grpc::StatusCode::UNAVAILABLE));
  CHECK(status.error_message() == "Slurm cannot be reached now; try again");
  CHECK(site.JobsInSlurm() == 0);
  CHECK(site.IsShown(v1::HEALTH_COMPONENT_IMPERSONATOR, v1::HEALTH_STATE_DOWN));
  CHECK(site.backend_.Probe("/readyz").starts_with("HTTP/1.1 503 "));
  CHECK(site.HealthOf(v1::HEALTH_COMPONENT_IMPERSONATOR).has_since());
  for (const auto component :
       {v1::HEALTH_COMPONENT_SLURMCTLD, v1::HEALTH_COMPONENT_DIRECTORY,
        v1::HEALTH_COMPONENT_DATABASE, v1::HEALTH_COMPONENT_AUDIT_LOG,
        v1::HEALTH_COMPONENT_AGENT_PORT}) {
    INFO(v1::HealthComponent_Name(component));
    CHECK(site.IsShown(component, v1::HEALTH_STATE_OK));
  }
  // No storage reader runs here.
  CHECK(
      site.IsShown(v1::HEALTH_COMPONENT_STORAGE_READER, v1::HEALTH_STATE_DOWN));
  // No proxy has come; mails are not configured.
  CHECK(site.HealthOf(v1::HEALTH_COMPONENT_PROXY).state() !=
        v1::HEALTH_STATE_OK);
  CHECK(site.HealthOf(v1::HEALTH_COMPONENT_MAIL).state() ==
        v1::HEALTH_STATE_DISABLED);
}

TEST_CASE("main path: sessions survive a restart of slurmctld", "[backend]") {
  Site site;
  v1::Job job, stopped, refused;
  REQUIRE_THAT(site.Submit("", &job), IsOk());
  REQUIRE_THAT(site.Submit("", &stopped), IsOk());
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  REQUIRE(site.Becomes(stopped.id(), v1::JOB_STATE_READY));
  const std::string service = std::getenv("CARME_CLUSTER_SERVICE");
  impersonator::OutputOf(service + " slurmctld stop 2>&1");
  CHECK(WaitFor([&] { return !site.Cluster().slurm().reachable(); }));
  CHECK_THAT(site.Submit("", &refused),
             StatusIs(grpc::StatusCode::UNAVAILABLE));
  CHECK(site.Get(job.id()).state() == v1::JOB_STATE_READY);
  CHECK(site.IsShown(v1::HEALTH_COMPONENT_SLURMCTLD, v1::HEALTH_STATE_DOWN));
  CHECK(site.IsShown(v1::HEALTH_COMPONENT_NODES, v1::HEALTH_STATE_UNKNOWN));
  // A stop is kept, also by the next backend.
  CHECK_THAT(site.Stop(stopped.id()), IsOk());
  CHECK(site.Get(stopped.id()).state() == v1::JOB_STATE_STOPPING);
  site.backend_.KillAndRestart();
  impersonator::OutputOf(service + " slurmctld start 2>&1");
  site.Connect();
  CHECK(WaitFor([&] { return site.Cluster().slurm().reachable(); }));
  CHECK(site.IsShown(v1::HEALTH_COMPONENT_SLURMCTLD, v1::HEALTH_STATE_OK));
  CHECK(site.Becomes(stopped.id(), v1::JOB_STATE_ENDED));
  CHECK(site.Get(job.id()).state() == v1::JOB_STATE_READY);
  CHECK_THAT(site.Stop(job.id()), IsOk());
}

TEST_CASE("main path: ignores another user's job with the same comment",
          "[backend]") {
  Site site;
  v1::Job job;
  REQUIRE_THAT(site.Submit("", &job), IsOk());
  impersonator::OutputOf(
      absl::StrCat("runuser -u bob -- sbatch -D /tmp -o /dev/null "
                   "--comment=carme:",
                   job.id(), " --wrap 'sleep 60'"));
  REQUIRE(site.Becomes(job.id(), v1::JOB_STATE_READY));
  CHECK(WaitFor([&] {
    return site.backend_.Log().find("comment names a job of another user") !=
           std::string::npos;
  }));
  CHECK(site.Get(job.id()).state() == v1::JOB_STATE_READY);
  impersonator::OutputOf("scancel -f --user=bob 2>&1");
}

}  // namespace
}  // namespace carme::backend
