// What the frontend asks of carme-metrics, which asks the backend who may see
// it. The backend is a fake, the database is real.
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/clusters/assertion.h"
#include "backend/identity/session/access_token_rules.h"
#include "backend/metrics/pages/finding_pages.h"
#include "backend/metrics/pages/job_pages.h"
#include "backend/metrics/query/live_samples.h"
#include "backend/metrics/server/grpc_port.h"
#include "backend/metrics/server/portal_callers.h"
#include "backend/metrics/server/services.h"
#include "carme/v1/metrics.grpc.pb.h"
#include "carme/v1/metrics_access.grpc.pb.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/status.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using backend::AssertionSigner;
using backend::ServerIdentity;

constexpr char kServerName[] = "carme-metrics";
constexpr char kBackendName[] = "carme-backend";

SigningKey KeyOf(char seed) {
  return SigningKey::FromSeed(std::string(32, seed)).value();
}

TlsMaterial MaterialOf(const TestAuthority& authority,
                       const IssuedCertificate& issued) {
  TlsMaterial tls;
  tls.certificate = ReadFile(issued.certificate_file).value();
  tls.key = ReadFile(issued.key_file).value();
  tls.ca = ReadFile(authority.ca_file()).value();
  return tls;
}

// Says that kJob is ada's, that mia manages its project, and that the session
// "ended" has ended.
class FakeBackend : public v1::MetricsAccessService::Service {
 public:
  explicit FakeBackend(TestAuthority* authority) {
    const IssuedCertificate own =
        authority->Issue("backend", absl::StrCat("DNS:", kBackendName));
    const TlsMaterial tls = MaterialOf(*authority, own);
    grpc::SslServerCredentialsOptions options(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = tls.ca;
    options.pem_key_cert_pairs = {{tls.key, tls.certificate}};
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options),
                             &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeBackend() override {
    server_->Shutdown(std::chrono::system_clock::now());
  }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

  grpc::Status WatchMeasuredJobs(
      grpc::ServerContext* context, const v1::WatchMeasuredJobsRequest*,
      grpc::ServerWriter<v1::WatchMeasuredJobsResponse>* writer) override {
    v1::WatchMeasuredJobsResponse message;
    message.set_snapshot(true);
    message.set_assertion_public_key(KeyOf('a').PublicKey());
    writer->Write(message);
    while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(20));
    return grpc::Status::OK;
  }
  grpc::Status AuthorizeMetrics(
      grpc::ServerContext*, const v1::AuthorizeMetricsRequest* request,
      v1::AuthorizeMetricsResponse* response) override {
    if (request->session_id() == "ended") {
      return {grpc::StatusCode::UNAUTHENTICATED, "the session has ended"};
    }
    const bool is_ada = request->username() == "ada";
    const bool may_see = is_ada || request->username() == "mia";
    if (request->job_ids_size() > 0) {
      const auto& ids = request->job_ids();
      if (may_see && std::find(ids.begin(), ids.end(), kJob) != ids.end()) {
        response->add_jobs()->set_job_id(kJob);
      }
      // What was not asked for is ignored.
      response->add_jobs()->set_job_id(kOtherJob);
      return grpc::Status::OK;
    }
    if (!request->job_id().empty() && (!may_see || request->job_id() != kJob)) {
      return {grpc::StatusCode::NOT_FOUND, "no such job"};
    }
    if (!may_see || (request->job_id().empty() && !is_ada)) {
      return grpc::Status::OK;
    }
    v1::MeasuredJob* job = response->add_jobs();
    job->set_job_id(kJob);
    job->set_owner("ada");
    job->set_started_at_ms(absl::ToUnixMillis(absl::Now() - absl::Minutes(5)));
    return grpc::Status::OK;
  }

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class Portal : public BackendListener {
 public:
  explicit Portal(bool with_backend = true)
      : database_(TsdbServer::Kind::kVictoriaMetrics),
        backend_(&authority_),
        own_(authority_.Issue("metrics", absl::StrCat("DNS:", kServerName))),
        reader_({.url = database_.url()}, absl::Seconds(20)),
        writer_({.address = {.url = database_.url()}}),
        ingest_({.writer = &writer_,
                 .jobs = &jobs_,
                 .clock = &clock_,
                 .listener = &live_},
                {}),
        store_(dir_.path(), {}),
        pages_({.store = &store_,
                .ingest = &ingest_,
                .reader = &reader_,
                .clock = &clock_}),
        findings_({.store = &store_,
                   .ingest = &ingest_,
                   .jobs = &jobs_,
                   .reader = &reader_,
                   .rules = &rules_,
                   .clock = &clock_}),
        link_({.address = with_backend ? backend_.address() : "127.0.0.1:1",
               .server_name = kBackendName,
               .tls = {own_.certificate_file, own_.key_file,
                       authority_.ca_file()}},
              this),
        callers_("dmz", &link_),
        service_(NewMetricsService({.callers = &callers_,
                                    .pages = &pages_,
                                    .findings = &findings_,
                                    .reader = &reader_,
                                    .live = &live_,
                                    .jobs = &jobs_})) {
    callers_.SetAssertionKey(KeyOf('a').PublicKey());
    backend::TlsConfig tls;
    tls.certificate = own_.certificate_file;
    tls.key = own_.key_file;
    tls.client_ca = authority_.ca_file();
    identity_ = ServerIdentity::Open(tls, dir_.path()).value();
    port_ =
        GrpcPort::Start(
            {.name = "clients",
             .address = "127.0.0.1:0",
             .connections = {.max_connections = 100, .max_per_address = 100}},
            *identity_, {service_.get()})
            .value();
    if (with_backend) {
      REQUIRE(testing::WaitFor([&] { return link_.is_connected(); }));
    }
  }

  void OnJobs(const v1::WatchMeasuredJobsResponse&) override {}

  SampleIngest& ingest() { return ingest_; }
  KnownJobs& jobs() { return jobs_; }
  FindingPages& findings() { return findings_; }
  TsdbServer& database() { return database_; }
  const ArchiveStore& store() { return store_; }

  std::unique_ptr<v1::MetricsService::Stub> Client(const std::string& uri) {
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(kServerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const IssuedCertificate issued =
        authority_.Issue("client", absl::StrCat("URI:", uri));
    return v1::MetricsService::NewStub(grpc::CreateCustomChannel(
        absl::StrCat("127.0.0.1:", port_->number()),
        BackendCredentials(MaterialOf(authority_, issued)), arguments));
  }
  std::unique_ptr<v1::MetricsService::Stub> Frontend() {
    return Client("carme://frontend/dmz");
  }

 private:
  TempDir dir_;
  TestAuthority authority_;
  TsdbServer database_;
  FakeBackend backend_;
  const IssuedCertificate own_;
  SystemClock clock_;
  KnownJobs jobs_;
  LiveSamples live_;
  DatabaseReader reader_;
  RemoteWriter writer_;
  SampleIngest ingest_;
  ArchiveStore store_;
  JobPages pages_;
  const metric_rules::RuleSet rules_ =
      metric_rules::ParseRules(
          "rules:\n- name: xid\n  title: Xid\n  when: "
          "[{event: xid}]\n  remedy: R\n",
          "rules.yaml")
          .value();
  FindingPages findings_;
  MetricsAccessClient link_;
  PortalCallers callers_;
  const std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<ServerIdentity> identity_;
  std::unique_ptr<GrpcPort> port_;
};

struct Person {
  std::string name = "ada";
  std::string session = "one";
  std::vector<std::string> scopes{};
  char key = 'a';
  std::string audience = backend::kMetricsAudience;
};

std::string AssertionOf(const Person& person) {
  const SystemClock clock;
  const AssertionSigner signer(KeyOf(person.key), {person.audience}, &clock);
  backend::Session session;
  session.id = SessionId(person.session);
  session.username = person.name;
  session.created_at = absl::Now();
  session.expires_at = absl::Now() + absl::Hours(1);
  session.scopes = person.scopes;
  return signer.Sign(session, person.audience).value().text;
}

void Prepare(const std::string& assertion, grpc::ClientContext* context) {
  context->set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
  if (!assertion.empty()) context->AddMetadata("carme-assertion", assertion);
}

absl::StatusOr<v1::GetJobMetricsResponse> Get(v1::MetricsService::Stub& stub,
                                              const std::string& assertion,
                                              const std::string& job = kJob) {
  grpc::ClientContext context;
  Prepare(assertion, &context);
  v1::GetJobMetricsRequest request;
  request.set_job_id(job);
  v1::GetJobMetricsResponse response;
  const absl::Status status =
      FromGrpc(stub.GetJobMetrics(&context, request, &response));
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<std::string> Query(v1::MetricsService::Stub& stub,
                                  const Person& person,
                                  const std::string& query) {
  grpc::ClientContext context;
  Prepare(AssertionOf(person), &context);
  v1::QueryPromqlRequest request;
  request.set_query(query);
  const int64_t now_ms = absl::ToUnixMillis(absl::Now());
  request.set_from_ms(now_ms - 60'000);
  request.set_to_ms(now_ms + 2000);
  request.set_step_s(1);
  v1::QueryPromqlResponse response;
  const absl::Status status =
      FromGrpc(stub.QueryPromql(&context, request, &response));
  if (!status.ok()) return status;
  return response.answer_json();
}

TEST_CASE("metrics service: refuses machines other than the frontend",
          "[metrics]") {
  Portal portal;
  for (const char* uri :
       {"carme://proxy/dmz", "carme://frontend/other",
        "carme://metrics/metrics", "carme://job/jaaaaaaaaaaaaaaa"}) {
    CAPTURE(uri);
    const auto client = portal.Client(uri);
    CHECK_THAT(Get(*client, AssertionOf({})),
               StatusIs(absl::StatusCode::kPermissionDenied, "the frontend"));
  }
}

TEST_CASE("metrics service: refuses persons without a valid assertion",
          "[metrics]") {
  Portal portal;
  const auto client = portal.Frontend();
  CHECK_THAT(Get(*client, ""), StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(Get(*client, "nonsense"),
             StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(Get(*client, AssertionOf({.key = 'b'})),
             StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(Get(*client, AssertionOf({.audience = "beta"})),
             StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(Get(*client, AssertionOf({.session = "ended"})),
             StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_CASE("metrics service: refuses jobs of others", "[metrics]") {
  Portal portal;
  const auto client = portal.Frontend();
  CHECK_THAT(Get(*client, AssertionOf({.name = "eve"})),
             StatusIs(absl::StatusCode::kNotFound));
  CHECK_THAT(Get(*client, AssertionOf({}), kOtherJob),
             StatusIs(absl::StatusCode::kNotFound));
  for (const char* job : {"", "up", "jaaaaaaaaaaaaaaa|jbbbbbbbbbbbbbbb"}) {
    CHECK_THAT(Get(*client, AssertionOf({}), job),
               StatusIs(absl::StatusCode::kNotFound));
  }
  CHECK_THAT(Get(*client, AssertionOf({})), IsOk());
}

TEST_CASE("metrics service: only a job's owner mutes its findings",
          "[metrics]") {
  Portal portal;
  const auto frontend = portal.Frontend();
  const auto rate = [&](const Person& person, const std::string& rule) {
    grpc::ClientContext context;
    Prepare(AssertionOf(person), &context);
    v1::RateJobFindingRequest request;
    request.set_job_id(kJob);
    request.set_rule(rule);
    request.set_muted(true);
    v1::RateJobFindingResponse response;
    return FromGrpc(frontend->RateJobFinding(&context, request, &response));
  };
  CHECK_THAT(rate({.name = "bob"}, "xid"),
             StatusIs(absl::StatusCode::kNotFound, "no such job"));
  CHECK_THAT(rate({.name = "mia"}, "xid"),
             StatusIs(absl::StatusCode::kPermissionDenied, "only the owner"));
  CHECK_THAT(rate({}, "none"),
             StatusIs(absl::StatusCode::kInvalidArgument, "no rule"));
  CHECK_THAT(rate({}, "xid"),
             StatusIs(absl::StatusCode::kNotFound, "no samples"));
}

TEST_CASE("metrics service: findings and receipts of others are refused",
          "[metrics]") {
  Portal portal;
  const auto frontend = portal.Frontend();
  const auto list = [&](const Person& person) {
    grpc::ClientContext context;
    Prepare(AssertionOf(person), &context);
    v1::ListJobFindingsRequest request;
    request.set_job_id(kJob);
    v1::ListJobFindingsResponse response;
    return FromGrpc(frontend->ListJobFindings(&context, request, &response));
  };
  v1::GetJobReceiptResponse response;
  const auto receipt = [&](const Person& person) {
    grpc::ClientContext context;
    Prepare(AssertionOf(person), &context);
    v1::GetJobReceiptRequest request;
    request.set_job_id(kJob);
    return FromGrpc(frontend->GetJobReceipt(&context, request, &response));
  };
  CHECK_THAT(list({.name = "bob"}), StatusIs(absl::StatusCode::kNotFound, ""));
  CHECK_THAT(receipt({.name = "bob"}),
             StatusIs(absl::StatusCode::kNotFound, "no such job"));
  CHECK_THAT(list({.name = "mia"}), IsOk());
  // A job without samples has no receipt.
  CHECK_THAT(receipt({}), IsOk());
  CHECK_FALSE(response.has_receipt());
}

TEST_CASE("metrics service: summaries are of visible jobs with an archive",
          "[metrics]") {
  Portal portal;
  for (const char* job : {kJob, kOtherJob}) {
    archive::v1::JobArchive archive;
    archive.mutable_job()->set_job_id(job);
    archive.mutable_receipt()->set_length_s(60);
    archive.mutable_receipt()->mutable_score()->set_mean(0.25);
    REQUIRE_THAT(portal.store().Write(archive), IsOk());
  }
  const auto frontend = portal.Frontend();
  const auto jobs = [&](const std::string& assertion,
                        const std::vector<std::string>& ids)
      -> absl::StatusOr<std::vector<v1::JobSummary>> {
    grpc::ClientContext context;
    Prepare(assertion, &context);
    v1::SummarizeJobsRequest request;
    *request.mutable_job_ids() = {ids.begin(), ids.end()};
    v1::SummarizeJobsResponse response;
    RETURN_IF_ERROR(
        FromGrpc(frontend->SummarizeJobs(&context, request, &response)));
    return std::vector<v1::JobSummary>(response.jobs().begin(),
                                       response.jobs().end());
  };
  CHECK_THAT(jobs("", {kJob}), StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(jobs(AssertionOf({.session = "ended"}), {kJob}),
             StatusIs(absl::StatusCode::kUnauthenticated));
  CHECK_THAT(jobs(AssertionOf({}), {}),
             StatusIs(absl::StatusCode::kInvalidArgument, "1 to 100"));
  CHECK_THAT(jobs(AssertionOf({}), {kJob, "../archive"}),
             StatusIs(absl::StatusCode::kInvalidArgument));
  std::vector<std::string> many;
  for (int i = 0; i < 101; ++i) {
    many.push_back(absl::StrCat("jaaaaaaaaaaaa", 100 + i));
  }
  CHECK_THAT(jobs(AssertionOf({}), many),
             StatusIs(absl::StatusCode::kInvalidArgument));
  CHECK(jobs(AssertionOf({.name = "eve"}), {kJob}).value().empty());
  const std::vector<v1::JobSummary> found =
      jobs(AssertionOf({.name = "mia"}), {kJob, "jccccccccccccccc"}).value();
  REQUIRE(found.size() == 1);
  CHECK(found[0].job_id() == kJob);
  CHECK(found[0].length_s() == 60);
  CHECK(found[0].score().mean() == 0.25);
}

TEST_CASE("metrics service: refuses everything while the backend is away",
          "[metrics]") {
  Portal portal(/*with_backend=*/false);
  const auto client = portal.Frontend();
  CHECK_THAT(Get(*client, AssertionOf({})),
             StatusIs(absl::StatusCode::kUnavailable, "the backend"));
}

TEST_CASE("metrics service: PromQL shows the caller's jobs only", "[metrics]") {
  Portal portal;
  const absl::Time now = absl::Now();
  REQUIRE_THAT(portal.ingest().Write(kJob, Encoded(OneSeries(kJob, now, {41}))),
               IsOk());
  REQUIRE_THAT(portal.ingest().Write(kOtherJob,
                                     Encoded(OneSeries(kOtherJob, now, {42}))),
               IsOk());
  portal.database().Get("/api/v1/label/job/values", kOtherJob);
  const auto client = portal.Frontend();
  std::string all;
  REQUIRE(testing::WaitFor([&] {
    all = Query(*client, {}, "carme_job_memory_bytes").value();
    return all.find("\"41\"") != std::string::npos;
  }));
  CHECK(all.find("\"42\"") == std::string::npos);
  const std::string other =
      Query(*client, {},
            absl::StrCat("carme_job_memory_bytes{job=\"", kOtherJob, "\"}"))
          .value();
  CHECK(other.find("\"42\"") == std::string::npos);
  const std::string sum = Query(*client, {}, "sum({job=~\".+\"})").value();
  CHECK(sum.find("\"83\"") == std::string::npos);
  CHECK_THAT(Query(*client, {}, "up} or {x=\"\""),
             StatusIs(absl::StatusCode::kInvalidArgument));
  CHECK_THAT(Query(*client, {.name = "eve"}, "up"),
             StatusIs(absl::StatusCode::kNotFound, "no jobs"));
}

TEST_CASE("metrics service: Prometheus' API shows the caller's jobs only",
          "[metrics]") {
  Portal portal;
  const absl::Time now = absl::Now();
  REQUIRE_THAT(portal.ingest().Write(kJob, Encoded(OneSeries(kJob, now, {41}))),
               IsOk());
  REQUIRE_THAT(portal.ingest().Write(kOtherJob,
                                     Encoded(OneSeries(kOtherJob, now, {42}))),
               IsOk());
  portal.database().Get("/api/v1/label/job/values", kOtherJob);
  const auto ask = [](v1::MetricsService::Stub& stub,
                      const std::string& assertion,
                      const v1::QueryPrometheusRequest& request)
      -> absl::StatusOr<std::string> {
    grpc::ClientContext context;
    Prepare(assertion, &context);
    v1::QueryPrometheusResponse response;
    RETURN_IF_ERROR(
        FromGrpc(stub.QueryPrometheus(&context, request, &response)));
    return response.data_json();
  };
  v1::QueryPrometheusRequest sum;
  sum.mutable_instant()->set_query(
      "sum(carme_job_memory_bytes{job=~\".+\"}) or vector(1)");
  sum.mutable_instant()->set_time_ms(absl::ToUnixMillis(now));
  v1::QueryPrometheusRequest check;
  check.mutable_check();
  const auto client = portal.Frontend();
  const auto other = portal.Client("carme://proxy/dmz");
  // Only access tokens have scopes.
  const std::string token = backend::SessionIdOf(backend::NewTokenId()).value();
  for (const v1::QueryPrometheusRequest& request : {sum, check}) {
    CHECK_THAT(ask(*other, AssertionOf({}), request),
               StatusIs(absl::StatusCode::kPermissionDenied));
    CHECK_THAT(ask(*client, "", request),
               StatusIs(absl::StatusCode::kUnauthenticated));
    CHECK_THAT(ask(*client, AssertionOf({.session = "ended"}), request),
               StatusIs(absl::StatusCode::kUnauthenticated));
    CHECK_THAT(
        ask(*client, AssertionOf({.session = token, .scopes = {"jobs:write"}}),
            request),
        StatusIs(absl::StatusCode::kPermissionDenied, "scope"));
    CHECK_THAT(
        ask(*client, AssertionOf({.session = token, .scopes = {"jobs:read"}}),
            request),
        IsOk());
  }
  REQUIRE(testing::WaitFor([&] {
    return ask(*client, AssertionOf({}), sum).value().find("\"41\"") !=
           std::string::npos;
  }));
  // Eve has no jobs, mia only manages ada's.
  for (const char* name : {"eve", "mia"}) {
    CHECK(
        ask(*client, AssertionOf({.name = name}), sum).value().find("\"1\"") !=
        std::string::npos);
  }
  v1::QueryPrometheusRequest values;
  values.mutable_label_values()->set_label("job");
  CHECK(ask(*client, AssertionOf({}), values).value() ==
        absl::StrCat("[\"", kJob, "\"]"));
  CHECK(ask(*client, AssertionOf({.name = "eve"}), values).value() == "[]");
}

TEST_CASE("metrics service: shows samples within 3 s until the job ends",
          "[metrics]") {
  Portal portal;
  const auto client = portal.Frontend();
  grpc::ClientContext context;
  Prepare(AssertionOf({}), &context);
  v1::WatchJobMetricsRequest request;
  request.set_job_id(kJob);
  request.add_names("carme_job_memory_bytes");
  const auto stream = client->WatchJobMetrics(&context, request);
  v1::WatchJobMetricsResponse message;
  REQUIRE(stream->Read(&message));  // it is open
  const absl::Time written = absl::Now();
  v1::WriteSamplesRequest samples = OneSeries(kJob, absl::Now(), {5});
  AddSeries("carme_other", absl::Now(), absl::Seconds(1), {6},
            samples.mutable_nodes(0));
  REQUIRE_THAT(portal.ingest().Write(kJob, Encoded(samples)), IsOk());
  REQUIRE_THAT(portal.ingest().Write(
                   kOtherJob, Encoded(OneSeries(kOtherJob, written, {7}))),
               IsOk());
  while (message.nodes().empty()) REQUIRE(stream->Read(&message));
  CHECK(absl::Now() - written < absl::Seconds(3));
  REQUIRE(message.nodes_size() == 1);
  REQUIRE(message.nodes(0).series_size() == 1);
  CHECK(message.nodes(0).series(0).values(0) == 5);
  portal.jobs().SetEnded(kJob);
  while (stream->Read(&message)) {
  }
  CHECK(stream->Finish().ok());
}

TEST_CASE("metrics service: streams findings after each change", "[metrics]") {
  Portal portal;
  v1::MeasuredJob job;
  job.set_job_id(kJob);
  job.set_owner("ada");
  job.set_started_at_ms(absl::ToUnixMillis(absl::Now() - absl::Minutes(5)));
  portal.jobs().SetRunning(job);
  v1::WriteSamplesRequest samples = OneSeries(kJob, absl::Now(), {5});
  v1::NodeEvent* event = samples.mutable_nodes(0)->add_events();
  event->set_time_ms(absl::ToUnixMillis(absl::Now()));
  event->set_kind("xid");
  REQUIRE_THAT(portal.ingest().Write(kJob, Encoded(samples)), IsOk());
  const auto client = portal.Frontend();
  grpc::ClientContext context;
  Prepare(AssertionOf({}), &context);
  v1::WatchJobMetricsRequest request;
  request.set_job_id(kJob);
  request.set_only_findings(true);
  const auto stream = client->WatchJobMetrics(&context, request);
  v1::WatchJobMetricsResponse message;
  const auto next = [&] {
    do {
      REQUIRE(stream->Read(&message));
      REQUIRE(message.nodes().empty());
    } while (!message.has_findings());
    return message.findings();
  };
  portal.findings().Step();
  const v1::ListJobFindingsResponse found = next();
  REQUIRE(found.findings_size() == 1);
  CHECK(found.findings(0).rule() == "xid");
  CHECK_FALSE(found.findings(0).muted());
  // A job is evaluated once a minute: this is the owner's rating.
  portal.findings().Step();
  v1::RateJobFindingRequest rating;
  rating.set_job_id(kJob);
  rating.set_rule("xid");
  rating.set_muted(true);
  REQUIRE_THAT(portal.findings().Rate(job, rating), IsOk());
  const v1::ListJobFindingsResponse rated = next();
  REQUIRE(rated.findings_size() == 1);
  CHECK(rated.findings(0).muted());
  portal.jobs().SetEnded(kJob);
  while (stream->Read(&message)) CHECK_FALSE(message.has_findings());
}

TEST_CASE("metrics service: exports a job", "[metrics]") {
  Portal portal;
  const absl::Time now = absl::Now();
  const auto client = portal.Frontend();
  const auto export_job = [&](v1::ExportJobRequest::Format format,
                              v1::ExportJobResponse* response) {
    grpc::ClientContext context;
    Prepare(AssertionOf({}), &context);
    v1::ExportJobRequest request;
    request.set_job_id(kJob);
    request.set_format(format);
    return FromGrpc(client->ExportJob(&context, request, response));
  };
  v1::ExportJobResponse response;
  CHECK_THAT(export_job(v1::ExportJobRequest::FORMAT_CSV, &response),
             StatusIs(absl::StatusCode::kNotFound, "No samples"));
  REQUIRE_THAT(
      portal.ingest().Write(kJob, Encoded(OneSeries(kJob, now, {41, 42}))),
      IsOk());
  REQUIRE(testing::WaitFor([&] {
    response.Clear();
    return export_job(v1::ExportJobRequest::FORMAT_CSV, &response).ok() &&
           response.files(0).content().find(",42\n") != std::string::npos;
  }));
  CHECK_THAT(export_job(v1::ExportJobRequest::FORMAT_GSSR_SQLITE, &response),
             StatusIs(absl::StatusCode::kNotFound, "No samples of GPUs"));
  CHECK_THAT(export_job(v1::ExportJobRequest::FORMAT_UNSPECIFIED, &response),
             StatusIs(absl::StatusCode::kInvalidArgument, "CLUSTERCOCKPIT"));
}

}  // namespace
}  // namespace carme::metrics
