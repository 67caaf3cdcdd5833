#include "tests/frontend/fake_backend.h"

#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/metrics.grpc.pb.h"
#include "carme/v1/reservation_calendar.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/grpc/status_origin.h"

namespace carme::frontend::testing {
namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

// What the services share.
struct Shared {
  mutable absl::Mutex mutex;
  absl::CondVar changed;
  std::map<std::string, std::string> metadata;
  int calls = 0;
  int streams = 0;
  int pushes = 0;
  std::string pushed;
  std::string cluster;
  int assertions = 0;
  int refused_assertions = 0;
  FakeBackend::PrometheusAnswer prometheus =
      [](const v1::QueryPrometheusRequest&) { return "{}"; };
  absl::Duration life = absl::Minutes(1);

  void Note(ServerContext& context) {
    context.AddTrailingMetadata(kStatusOriginKey, kStatusOriginBackend);
    absl::MutexLock lock(&mutex);
    ++calls;
    metadata.clear();
    for (const auto& [name, value] : context.client_metadata()) {
      metadata[std::string(name.data(), name.size())] +=
          std::string(value.data(), value.size());
    }
  }
  Status CheckSession(ServerContext& context) {
    Note(context);
    absl::MutexLock lock(&mutex);
    if (!cluster.empty()) {
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(metadata["carme-assertion"], '-');
      int number = 0;
      const bool valid =
          parts.first == cluster && absl::SimpleAtoi(parts.second, &number) &&
          number > refused_assertions && !metadata.contains("carme-session") &&
          !metadata.contains("carme-token");
      return valid ? Status::OK
                   : Status(StatusCode::UNAUTHENTICATED, "assertion refused");
    }
    const auto token = metadata.find("carme-session");
    if (token != metadata.end() && token->second == kKnownToken) {
      return Status::OK;
    }
    const auto script = metadata.find("carme-token");
    if (script != metadata.end() && script->second == kKnownAccessToken) {
      return Status::OK;
    }
    return Status(StatusCode::UNAUTHENTICATED, "log in");
  }
};

class AuthService : public v1::AuthService::Service {
 public:
  explicit AuthService(Shared* shared) : shared_(shared) {}

  Status Login(ServerContext* context, const v1::LoginRequest* request,
               v1::LoginResponse* response) override {
    shared_->Note(*context);
    if (request->password() != "right") {
      return Status(StatusCode::UNAUTHENTICATED, "wrong password or name");
    }
    response->set_challenge("c-1");
    return Status::OK;
  }
  Status VerifyFactor(ServerContext* context, const v1::VerifyFactorRequest*,
                      v1::VerifyFactorResponse* response) override {
    shared_->Note(*context);
    response->set_session_token(kKnownToken);
    response->mutable_session()->set_username("ada");
    response->mutable_session()->mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(absl::Now() + absl::Hours(1)));
    return Status::OK;
  }
  Status GetSession(ServerContext* context, const v1::GetSessionRequest*,
                    v1::GetSessionResponse* response) override {
    response->mutable_session()->set_username("ada");
    return shared_->CheckSession(*context);
  }
  Status CreateAssertion(ServerContext* context,
                         const v1::CreateAssertionRequest* request,
                         v1::CreateAssertionResponse* response) override {
    const Status session = shared_->CheckSession(*context);
    if (!session.ok()) return session;
    absl::MutexLock lock(&shared_->mutex);
    response->set_assertion(
        absl::StrCat(request->cluster(), "-", ++shared_->assertions));
    response->mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(absl::Now() + shared_->life));
    return Status::OK;
  }
  Status Logout(ServerContext* context, const v1::LogoutRequest*,
                v1::LogoutResponse*) override {
    return shared_->CheckSession(*context);
  }

 private:
  Shared* const shared_;
};

class JobService : public v1::JobService::Service {
 public:
  explicit JobService(Shared* shared) : shared_(shared) {}

  // The job id selects the failure.
  Status GetJob(ServerContext* context, const v1::GetJobRequest* request,
                v1::GetJobResponse* response) override {
    const std::string& id = request->job_id();
    // Without the mark, as the backend's access check and gRPC itself.
    if (id == "stale") {
      return Status(StatusCode::FAILED_PRECONDITION,
                    "[REAUTHENTICATION_REQUIRED] confirm your second factor");
    }
    if (id == "unmarked") {
      return Status(StatusCode::PERMISSION_DENIED, "secret detail at 10.0.0.1");
    }
    shared_->Note(*context);
    if (id == "missing") {
      return Status(StatusCode::NOT_FOUND, "job \"missing\" does not exist");
    }
    if (id == "busy") {
      return Status(StatusCode::UNAVAILABLE, "Slurm cannot be reached");
    }
    if (id == "broken") {
      return Status(StatusCode::INTERNAL, "secret detail at 10.0.0.1");
    }
    if (id == "slow") {
      while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(10));
    }
    if (id == "mine") {
      const Status session = shared_->CheckSession(*context);
      if (!session.ok()) return session;
    }
    response->mutable_job()->set_id(id);
    response->mutable_job()->set_cluster("another");
    if (id == "large") {
      response->mutable_job()->set_reason(std::string(1 << 20, 'x'));
    }
    return Status::OK;
  }

  // The job id is the address.
  Status OpenApp(ServerContext* context, const v1::OpenAppRequest* request,
                 v1::OpenAppResponse* response) override {
    response->set_url(request->job_id());
    return shared_->CheckSession(*context);
  }

  // With a page size: three jobs, newest first, one of beta after each other.
  // The token is the number of the next one.
  Status ListJobs(ServerContext* context, const v1::ListJobsRequest* request,
                  v1::ListJobsResponse* response) override {
    if (request->page_size() > 1000) {
      shared_->Note(*context);
      return Status(StatusCode::INVALID_ARGUMENT, "pageSize");
    }
    if (request->page_size() == 0) response->add_jobs()->set_id("j-1");
    int next = 0;
    if (!absl::SimpleAtoi(request->page_token(), &next)) next = 0;
    for (int i = 0; i < request->page_size() && next < 3; ++i, ++next) {
      v1::Job* job = response->add_jobs();
      job->set_id(absl::StrCat(shared_->cluster, "-", next));
      job->mutable_created_at()->set_seconds(
          100 - 2 * next - (shared_->cluster.empty() ? 0 : 1));
    }
    if (next > 0 && next < 3) {
      response->set_next_page_token(absl::StrCat(next));
    }
    return shared_->CheckSession(*context);
  }

  // A snapshot, then the messages of Push(), until the client disconnects.
  Status WatchJobs(ServerContext* context, const v1::WatchJobsRequest*,
                   grpc::ServerWriter<v1::WatchJobsResponse>* out) override {
    const Status session = shared_->CheckSession(*context);
    if (!session.ok()) return session;
    absl::MutexLock lock(&shared_->mutex);
    ++shared_->streams;
    int seen = shared_->pushes;
    v1::WatchJobsResponse message;
    message.set_snapshot(true);
    out->Write(message);
    while (!context->IsCancelled()) {
      shared_->changed.WaitWithTimeout(&shared_->mutex, absl::Milliseconds(20));
      if (shared_->pushes == seen) continue;
      seen = shared_->pushes;
      message.Clear();
      message.add_jobs()->set_id(shared_->pushed);
      out->Write(message);
      if (shared_->pushed == "end") break;
      if (shared_->pushed == "fail") {
        --shared_->streams;
        return Status(StatusCode::UNAUTHENTICATED, "the session ended");
      }
    }
    --shared_->streams;
    return Status::OK;
  }

 private:
  Shared* const shared_;
};

class CalendarService : public v1::ReservationCalendarService::Service {
 public:
  explicit CalendarService(Shared* shared) : shared_(shared) {}

  // A calendar with the name of the cluster; the client's address selects the
  // failure.
  Status GetReservationCalendar(
      ServerContext* context, const v1::GetReservationCalendarRequest*,
      v1::GetReservationCalendarResponse* response) override {
    const Status session = shared_->CheckSession(*context);
    if (!session.ok()) return session;
    absl::MutexLock lock(&shared_->mutex);
    const std::string& address = shared_->metadata["carme-client-address"];
    if (address == "192.0.2.3") {
      return Status(StatusCode::PERMISSION_DENIED, "not from this address");
    }
    if (address == "192.0.2.4") {
      return Status(StatusCode::UNAVAILABLE, "the directory is away");
    }
    if (address == "192.0.2.5") {
      return Status(StatusCode::RESOURCE_EXHAUSTED, "too many calls");
    }
    response->set_icalendar(
        absl::StrCat("BEGIN:VCALENDAR\r\nNAME:", shared_->cluster, "\r\n"));
    return Status::OK;
  }

 private:
  Shared* const shared_;
};

// carme-metrics; its cluster is the name in its assertions.
class MetricsService : public v1::MetricsService::Service {
 public:
  explicit MetricsService(Shared* shared) : shared_(shared) {}

  Status GetJobMetrics(ServerContext* context,
                       const v1::GetJobMetricsRequest* request,
                       v1::GetJobMetricsResponse* response) override {
    const Status session = shared_->CheckSession(*context);
    if (!session.ok()) return session;
    v1::MetricSeries* series = response->add_series();
    series->set_name(request->job_id());
    // More than gRPC accepts by default.
    series->mutable_values()->Resize(1 << 20, 0.5);
    return Status::OK;
  }
  Status QueryPrometheus(ServerContext* context,
                         const v1::QueryPrometheusRequest* request,
                         v1::QueryPrometheusResponse* response) override {
    const Status session = shared_->CheckSession(*context);
    if (!session.ok()) return session;
    FakeBackend::PrometheusAnswer answer;
    {
      absl::MutexLock lock(&shared_->mutex);
      answer = shared_->prometheus;
    }
    absl::StatusOr<std::string> data = answer(*request);
    if (!data.ok()) return ToGrpc(data.status());
    response->set_data_json(*std::move(data));
    return Status::OK;
  }
  Status WatchJobMetrics(
      ServerContext* context, const v1::WatchJobMetricsRequest*,
      grpc::ServerWriter<v1::WatchJobMetricsResponse>* writer) override {
    const Status session = shared_->CheckSession(*context);
    if (session.ok()) writer->Write(v1::WatchJobMetricsResponse());
    return session;
  }

 private:
  Shared* const shared_;
};

}  // namespace

struct FakeBackend::State {
  State() : auth(&shared), calendar(&shared), jobs(&shared), metrics(&shared) {}
  Shared shared;
  AuthService auth;
  CalendarService calendar;
  JobService jobs;
  MetricsService metrics;
  grpc::SslServerCredentialsOptions tls;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

FakeBackend::FakeBackend(const TestCa& ca, const std::string& name,
                         const std::string& cluster)
    : state_(std::make_unique<State>()) {
  state_->shared.cluster = cluster;
  const TestIdentity identity = ca.Issue({name});
  state_->tls.pem_root_certs = ca.certificate_pem();
  state_->tls.pem_key_cert_pairs = {
      {identity.key_pem, identity.certificate_pem}};
  state_->tls.client_certificate_request =
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  Start();
}

FakeBackend::~FakeBackend() { Stop(); }

std::string FakeBackend::address() const {
  return absl::StrCat("127.0.0.1:", state_->port);
}

std::string FakeBackend::certificate_pem() const {
  return state_->tls.pem_key_cert_pairs.front().cert_chain;
}

void FakeBackend::Start() {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", state_->port),
                           grpc::SslServerCredentials(state_->tls), &port);
  builder.RegisterService(&state_->auth);
  builder.RegisterService(&state_->calendar);
  builder.RegisterService(&state_->jobs);
  builder.RegisterService(&state_->metrics);
  state_->server = builder.BuildAndStart();
  if (state_->server == nullptr || port == 0) std::abort();
  state_->port = port;
}

void FakeBackend::Stop() {
  if (state_->server == nullptr) return;
  state_->server->Shutdown(std::chrono::system_clock::now());
  state_->server->Wait();
  state_->server.reset();
}

void FakeBackend::Push(const std::string& job_id) {
  absl::MutexLock lock(&state_->shared.mutex);
  state_->shared.pushed = job_id;
  ++state_->shared.pushes;
  state_->shared.changed.SignalAll();
}

int FakeBackend::open_streams() const {
  absl::MutexLock lock(&state_->shared.mutex);
  return state_->shared.streams;
}

std::map<std::string, std::string> FakeBackend::metadata() const {
  absl::MutexLock lock(&state_->shared.mutex);
  return state_->shared.metadata;
}

int FakeBackend::assertions() const {
  absl::MutexLock lock(&state_->shared.mutex);
  return state_->shared.assertions;
}

void FakeBackend::SetAssertionLife(absl::Duration life) {
  absl::MutexLock lock(&state_->shared.mutex);
  state_->shared.life = life;
}

void FakeBackend::SetPrometheus(PrometheusAnswer answer) {
  absl::MutexLock lock(&state_->shared.mutex);
  state_->shared.prometheus = std::move(answer);
}

void FakeBackend::RefuseAssertions(int last) {
  absl::MutexLock lock(&state_->shared.mutex);
  state_->shared.refused_assertions = last;
}

int FakeBackend::calls() const {
  absl::MutexLock lock(&state_->shared.mutex);
  return state_->shared.calls;
}

}  // namespace carme::frontend::testing
