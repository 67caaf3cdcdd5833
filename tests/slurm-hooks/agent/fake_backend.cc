#include "tests/slurm-hooks/agent/fake_backend.h"

#include <grpcpp/grpcpp.h>
#include <munge.h>

#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/file.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/request_digest.h"
#include "common/random.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

// Issues certificates for what agents ask, by openssl(1).
class JobCa {
 public:
  JobCa() {
    Run("openssl req -x509 -days 2 -subj /CN=jobs -newkey ec -pkeyopt "
        "ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem");
  }
  std::string Issue(const std::string& csr_pem) {
    if (!WriteFile(dir_.File("csr"), csr_pem, 0600).ok() ||
        !WriteFile(dir_.File("ext"),
                   absl::StrCat("subjectAltName=DNS:", kTestJob,
                                ".job.carme,URI:carme://job/", kTestJob),
                   0600)
             .ok()) {
      throw std::runtime_error("cannot write the request");
    }
    Run("openssl x509 -req -days 2 -CA ca.pem -CAkey ca.key -CAcreateserial "
        "-in csr -out pem -extfile ext");
    return ReadFile(dir_.File("pem")).value();
  }
  std::string certificate_pem() const {
    return ReadFile(dir_.File("ca.pem")).value();
  }

 private:
  void Run(const std::string& command) const {
    const std::string line =
        absl::StrCat("cd ", dir_.path(), " && ", command, " > log 2>&1");
    if (std::system(line.c_str()) != 0) throw std::runtime_error(command);
  }
  TempDir dir_;
};

// The credential's uid; throws when it is not for exactly this request.
template <typename Request>
uint32_t CheckCredential(std::string_view method, Request request) {
  const std::string credential = std::exchange(*request.mutable_munge(), "");
  void* payload = nullptr;
  int size = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  const munge_err_t error =
      munge_decode(credential.c_str(), nullptr, &payload, &size, &uid, &gid);
  const std::string found(static_cast<char*>(payload),
                          static_cast<size_t>(size));
  std::free(payload);
  if (error != EMUNGE_SUCCESS || found != RequestDigest(method, request)) {
    throw std::runtime_error(
        absl::StrCat("credential: ", munge_strerror(error)));
  }
  return uid;
}

}  // namespace

class FakeAgentBackend::Service : public carme::v1::AgentService::Service {
 public:
  grpc::Status Register(grpc::ServerContext*,
                        const carme::v1::RegisterRequest* request,
                        carme::v1::RegisterResponse* response) override {
    absl::MutexLock lock(&mutex);
    uids.insert(CheckCredential("/carme.v1.AgentService/Register", *request));
    ++registrations;
    agent_port = static_cast<int>(request->port());
    if (!to_refuse.empty()) {
      const absl::Status status = to_refuse.front();
      to_refuse.pop_front();
      return ToGrpc(status);
    }
    *response = answer;
    response->set_certificate_pem(job_ca.Issue(request->csr_pem()));
    return grpc::Status::OK;
  }

  grpc::Status ReportState(grpc::ServerContext*,
                           const carme::v1::ReportStateRequest* request,
                           carme::v1::ReportStateResponse*) override {
    absl::MutexLock lock(&mutex);
    uids.insert(
        CheckCredential("/carme.v1.AgentService/ReportState", *request));
    reports.push_back(*request);
    return grpc::Status::OK;
  }

  grpc::Status ReportLog(grpc::ServerContext*,
                         const carme::v1::ReportLogRequest* request,
                         carme::v1::ReportLogResponse*) override {
    absl::MutexLock lock(&mutex);
    uids.insert(CheckCredential("/carme.v1.AgentService/ReportLog", *request));
    log_reports.push_back(*request);
    return grpc::Status::OK;
  }

  grpc::Status WatchJob(
      grpc::ServerContext* context, const carme::v1::WatchJobRequest* request,
      grpc::ServerWriter<carme::v1::WatchJobResponse>* writer) override {
    absl::MutexLock lock(&mutex);
    uids.insert(CheckCredential("/carme.v1.AgentService/WatchJob", *request));
    ++follows;
    returnable_nodes = {request->returnable_nodes().begin(),
                        request->returnable_nodes().end()};
    if (request->has_job()) own_job = request->job();
    if (request->has_use()) use = request->use();
    int sent_trusts = -1;
    int sent_lists = 0;
    while (!context->IsCancelled()) {
      if (request->has_job() && sent_lists != lists) {
        carme::v1::WatchJobResponse news;
        *news.mutable_linked_jobs() = linked_jobs;
        for (auto& one : *news.mutable_linked_jobs()->mutable_jobs()) {
          if (one.job_id().empty()) one = own_job;
        }
        writer->Write(news);
        sent_lists = lists;
      }
      if (sent_trusts != trusts) {
        carme::v1::WatchJobResponse news;
        news.mutable_proxy_trust()->set_ca_pem(answer.proxy_ca_pem());
        news.mutable_proxy_trust()->set_crl_pem(answer.proxy_crl_pem());
        writer->Write(news);
        sent_trusts = trusts;
      }
      if (lost_registration) {
        carme::v1::WatchJobResponse news;
        news.set_register_again(true);
        writer->Write(news);
        lost_registration = false;
      }
      const auto changed = [&] {
        return sent_trusts != trusts || sent_lists != lists ||
               lost_registration;
      };
      mutex.AwaitWithTimeout(absl::Condition(&changed), absl::Milliseconds(20));
    }
    return grpc::Status::CANCELLED;
  }

  absl::Mutex mutex;
  std::deque<absl::Status> to_refuse;
  carme::v1::RegisterResponse answer;
  int registrations = 0;
  int follows = 0;
  std::vector<std::string> returnable_nodes;
  int trusts = 0;  // set so far
  int lists = 0;   // of linked jobs, set so far
  bool lost_registration = false;
  carme::v1::LinkedJobs linked_jobs;
  carme::v1::LinkedJob own_job;
  carme::v1::JobUse use;
  int agent_port = 0;
  std::set<uint32_t> uids;
  std::vector<carme::v1::ReportStateRequest> reports;
  std::vector<carme::v1::ReportLogRequest> log_reports;
  JobCa job_ca;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

FakeAgentBackend::FakeAgentBackend(const std::string& server_name,
                                   const std::string& host, int port)
    : key_(*SigningKey::FromSeed(RandomBytes(32))),
      identity_(site_ca_.Issue({server_name})),
      host_(host),
      service_(std::make_unique<Service>()) {
  carme::v1::RegisterResponse& answer = service_->answer;
  answer.set_job_id(kTestJob);
  answer.set_app("jupyter");
  answer.set_proxy_ca_pem(site_ca_.certificate_pem());
  answer.set_proxy_name("dmz");
  answer.set_ticket_public_key(key_.PublicKey());
  answer.mutable_environment()->set_runtime(carme::v1::RUNTIME_NONE);
  AddApp("jupyter");
  Start(port);
}

void FakeAgentBackend::Start(int port) {
  grpc::SslServerCredentialsOptions tls;
  tls.pem_key_cert_pairs.push_back(
      {identity_.key_pem, identity_.certificate_pem});
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat(host_, ":", port),
                           grpc::SslServerCredentials(tls), &service_->port);
  builder.RegisterService(service_.get());
  service_->server = builder.BuildAndStart();
  if (service_->server == nullptr) throw std::runtime_error("no test backend");
}

FakeAgentBackend::~FakeAgentBackend() { Stop(); }

void FakeAgentBackend::Stop() {
  service_->server->Shutdown(absl::ToChronoTime(absl::Now()));
  service_->server->Wait();
}

void FakeAgentBackend::RequestRegistration() {
  absl::MutexLock lock(&service_->mutex);
  service_->reports.clear();
  service_->lost_registration = true;
}

void FakeAgentBackend::Restart() { Start(service_->port); }

int FakeAgentBackend::port() const { return service_->port; }

void FakeAgentBackend::RefuseNext(std::vector<absl::Status> statuses) {
  absl::MutexLock lock(&service_->mutex);
  service_->to_refuse = {statuses.begin(), statuses.end()};
}

void FakeAgentBackend::SetCommand(std::vector<std::string> command) {
  absl::MutexLock lock(&service_->mutex);
  *service_->answer.mutable_apps(0)->mutable_command() = {command.begin(),
                                                          command.end()};
}

void FakeAgentBackend::SetBasePath(const std::string& path) {
  absl::MutexLock lock(&service_->mutex);
  service_->answer.mutable_apps(0)->set_base_path(path);
}

carme::v1::AppPlan* FakeAgentBackend::AddApp(const std::string& id) {
  carme::v1::AppPlan* app = service_->answer.add_apps();
  app->set_id(id);
  app->set_ready_path("/ready");
  app->set_public_host("abcdefgh23456789.jobs.test");
  return app;
}

carme::v1::EnvironmentPlan* FakeAgentBackend::environment() {
  return service_->answer.mutable_environment();
}

carme::v1::StagePlan* FakeAgentBackend::stage() {
  return service_->answer.mutable_stage();
}

carme::v1::MetricsPlan* FakeAgentBackend::metrics() {
  return service_->answer.mutable_metrics();
}

std::string FakeAgentBackend::job_ca_pem() const {
  return service_->job_ca.certificate_pem();
}

void FakeAgentBackend::SetLinkedJobs(const carme::v1::LinkedJobs& linked_jobs) {
  absl::MutexLock lock(&service_->mutex);
  service_->linked_jobs = linked_jobs;
  ++service_->lists;
}

void FakeAgentBackend::RequireNodes(uint32_t count) {
  absl::MutexLock lock(&service_->mutex);
  service_->answer.set_required_nodes(count);
}

void FakeAgentBackend::MakeLinkedJob() {
  absl::MutexLock lock(&service_->mutex);
  service_->answer.clear_apps();
  service_->answer.clear_app();
  service_->answer.set_linked_to("zzzzzzzzzzzzzzzz");
}

carme::v1::BatchPlan* FakeAgentBackend::MakeBatch() {
  absl::MutexLock lock(&service_->mutex);
  service_->answer.clear_apps();
  service_->answer.clear_app();
  return service_->answer.mutable_batch();
}

carme::v1::LinkedJob FakeAgentBackend::own_job() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->own_job;
}

carme::v1::JobUse FakeAgentBackend::use() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->use;
}

void FakeAgentBackend::SetProxyTrust(const std::string& ca_pem,
                                     const std::string& crl_pem) {
  absl::MutexLock lock(&service_->mutex);
  service_->answer.set_proxy_ca_pem(ca_pem);
  service_->answer.set_proxy_crl_pem(crl_pem);
  ++service_->trusts;
}

void FakeAgentBackend::MoveTo(const testing::TestCa& authority) {
  Stop();
  identity_ = authority.Issue({"carme-backend"});
  Restart();
}

std::vector<std::string> FakeAgentBackend::returnable_nodes() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->returnable_nodes;
}

int FakeAgentBackend::follows() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->follows;
}
int FakeAgentBackend::registrations() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->registrations;
}
int FakeAgentBackend::agent_port() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->agent_port;
}
std::set<uint32_t> FakeAgentBackend::uids() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->uids;
}
std::vector<carme::v1::ReportStateRequest> FakeAgentBackend::reports() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->reports;
}

std::vector<carme::v1::ReportLogRequest> FakeAgentBackend::log_reports() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->log_reports;
}

carme::v1::ReportStateRequest FakeAgentBackend::LastReport(
    const std::string& app) const {
  carme::v1::ReportStateRequest last;
  for (const auto& report : reports()) {
    if (report.app() == app) last = report;
  }
  return last;
}

carme::v1::Grant FakeAgentBackend::GoodGrant() {
  carme::v1::Grant grant;
  grant.set_job_id(kTestJob);
  grant.set_app("jupyter");
  grant.set_session_id("s1");
  grant.set_user("ada");
  grant.add_rights("use");
  grant.mutable_expires_at()->set_seconds(absl::ToUnixSeconds(absl::Now()) +
                                          3600);
  return grant;
}

std::string FakeAgentBackend::Preamble(const carme::v1::Grant& grant) const {
  carme::v1::Signed envelope;
  envelope.set_payload(grant.SerializeAsString());
  envelope.set_signature(key_.Sign(kGrantDomain, envelope.payload()));
  const std::string body = envelope.SerializeAsString();
  std::string preamble("CARME1\0\0\0\0", 10);
  preamble += static_cast<char>(body.size() >> 8);
  preamble += static_cast<char>(body.size() & 0xff);
  return preamble + body;
}

testing::TestIdentity FakeAgentBackend::Proxy() const {
  return site_ca_.IssueNames("URI:carme://proxy/dmz");
}
testing::TestIdentity FakeAgentBackend::Frontend() const {
  return site_ca_.IssueNames("URI:carme://frontend/dmz");
}
testing::TestIdentity FakeAgentBackend::OtherJob() const {
  return other_ca_.IssueNames("URI:carme://proxy/dmz");
}

}  // namespace carme::agent
