// The port for agents: TLS with the certificates of a real job CA.
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/service_type.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "backend/metrics/server/grpc_port.h"
#include "backend/metrics/server/services.h"
#include "carme/v1/samples.grpc.pb.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/pki/certificate_request.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme::metrics {
namespace {

using backend::JobCa;
using backend::ServerIdentity;

constexpr char kServerName[] = "carme-metrics";

JobCa NewJobCa(const std::string& path) {
  return JobCa::Open(path, absl::Now()).value();
}

class AgentsPort {
 public:
  AgentsPort()
      : job_ca_(NewJobCa(dir_.File("ca.pem"))),
        database_(TsdbServer::Kind::kVictoriaMetrics),
        writer_({.address = {.url = database_.url()}}),
        ingest_({.writer = &writer_, .jobs = &jobs_, .clock = &clock_}, {}),
        service_(NewSampleService(&ingest_)) {
    REQUIRE_THAT(
        WriteFile(dir_.File("job_ca.pem"), job_ca_.certificate_pem(), 0600),
        IsOk());
    const IssuedCertificate own =
        authority_.Issue("metrics", absl::StrCat("DNS:", kServerName));
    backend::TlsConfig tls;
    tls.certificate = own.certificate_file;
    tls.key = own.key_file;
    tls.client_ca = dir_.File("job_ca.pem");
    identity_ = ServerIdentity::Open(tls, dir_.path()).value();
    port_ =
        GrpcPort::Start(
            {.name = "agents",
             .address = "127.0.0.1:0",
             .connections = {.max_connections = 100, .max_per_address = 100},
             .max_request_bytes = kMaxRequestBytes},
            *identity_, {service_.get()})
            .value();
  }

  JobCa& job_ca() { return job_ca_; }
  TestAuthority& authority() { return authority_; }
  TsdbServer& database() { return database_; }

  // A client with a certificate of `ca` for the job.
  std::unique_ptr<v1::SampleService::Stub> Agent(const JobCa& ca,
                                                 const std::string& job) {
    const KeyAndRequest request = NewCertificateRequest().value();
    const absl::Time now = absl::Now();
    return Client(
        ca.Issue(request.csr_pem, JobId(job), now, now + absl::Hours(1))
            .value(),
        request.key_pem);
  }
  std::unique_ptr<v1::SampleService::Stub> Client(
      const std::string& certificate, const std::string& key) {
    TlsMaterial tls;
    tls.certificate = certificate;
    tls.key = key;
    tls.ca = ReadFile(authority_.ca_file()).value();
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(kServerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return v1::SampleService::NewStub(
        grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port_->number()),
                                  BackendCredentials(tls), arguments));
  }

 private:
  TempDir dir_;
  TestAuthority authority_;
  JobCa job_ca_;
  TsdbServer database_;
  KnownJobs jobs_;
  SystemClock clock_;
  RemoteWriter writer_;
  SampleIngest ingest_;
  const std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<ServerIdentity> identity_;
  std::unique_ptr<GrpcPort> port_;
};

absl::Status Write(v1::SampleService::Stub& stub,
                   const v1::WriteSamplesRequest& request) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  v1::WriteSamplesResponse response;
  return FromGrpc(stub.WriteSamples(&context, request, &response));
}

TEST_CASE("metrics port: refuses samples with another job's certificate",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  CHECK_THAT(Write(*agent, OneSeries(kOtherJob, absl::Now(), {1})),
             StatusIs(absl::StatusCode::kPermissionDenied, kOtherJob));
  CHECK_THAT(Write(*agent, OneSeries(kJob, absl::Now(), {1})), IsOk());
}

TEST_CASE("metrics port: refuses certificates of other authorities",
          "[metrics]") {
  AgentsPort port;
  TempDir dir;
  const JobCa stranger = NewJobCa(dir.File("ca.pem"));
  const auto agent = port.Agent(stranger, kJob);
  CHECK_THAT(Write(*agent, OneSeries(kJob, absl::Now(), {1})),
             StatusIs(absl::StatusCode::kUnavailable));
  // The site's authority issues those of machines, not of jobs.
  const IssuedCertificate machine =
      port.authority().Issue("job", absl::StrCat("URI:carme://job/", kJob));
  const auto client = port.Client(ReadFile(machine.certificate_file).value(),
                                  ReadFile(machine.key_file).value());
  CHECK_THAT(Write(*client, OneSeries(kJob, absl::Now(), {1})),
             StatusIs(absl::StatusCode::kUnavailable));
}

TEST_CASE("metrics port: refuses requests of more than a megabyte",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  v1::NodeEvent* event = request.mutable_nodes(0)->add_events();
  event->set_text(std::string(kMaxRequestBytes, 'x'));
  CHECK_THAT(Write(*agent, request),
             StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_CASE("metrics port: stores samples with the labels of their job",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {5});
  (*request.mutable_nodes(0)->mutable_series(0)->mutable_labels())["gpu"] = "3";
  REQUIRE_THAT(Write(*agent, request), IsOk());
  const std::string series = port.database().Get(
      "/api/v1/series?match[]=carme_job_memory_bytes", "n1");
  CHECK(series.find(absl::StrCat("\"job\":\"", kJob, "\"")) !=
        std::string::npos);
  CHECK(series.find("\"gpu\":\"3\"") != std::string::npos);
}

}  // namespace
}  // namespace carme::metrics
