// The port for agents: TLS with the certificates of a real job CA.
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/service_type.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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
#include "tests/support/wait_for.h"

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
  explicit AgentsPort(const SampleServiceLimits& limits = {})
      : job_ca_(NewJobCa(dir_.File("ca.pem"))),
        database_(TsdbServer::Kind::kVictoriaMetrics),
        writer_({.address = {.url = database_.url()}}),
        ingest_({.writer = &writer_, .jobs = &jobs_, .clock = &clock_}, {}),
        service_(NewSampleService(&ingest_, limits)) {
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

  KnownJobs& jobs() { return jobs_; }
  // Ends the port's calls.
  void Stop() { port_.reset(); }

  // A client with a certificate of `ca` for the job.
  std::unique_ptr<v1::SampleService::Stub> Agent(
      const JobCa& ca, const std::string& job,
      absl::Duration lifetime = absl::Hours(1)) {
    const KeyAndRequest request = NewCertificateRequest().value();
    const absl::Time now = absl::Now();
    return Client(
        ca.Issue(request.csr_pem, JobId(job), now, now + lifetime).value(),
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

// A stream of an agent.
class AgentStream {
 public:
  explicit AgentStream(v1::SampleService::Stub& stub)
      : stream_(stub.StreamSamples(&context_)) {}
  ~AgentStream() {
    context_.TryCancel();
    if (!finished_) stream_->Finish();
  }
  absl::StatusOr<uint64_t> Send(const v1::WriteSamplesRequest& request) {
    stream_->Write(request);
    return Receive();
  }
  void Write(const v1::WriteSamplesRequest& request) {
    REQUIRE(stream_->Write(request));
  }
  // How many samples were stored.
  absl::StatusOr<uint64_t> Receive() {
    v1::WriteSamplesResponse response;
    if (stream_->Read(&response)) return response.stored();
    return Finish();
  }
  absl::Status Finish() {
    finished_ = true;
    const absl::Status status = FromGrpc(stream_->Finish());
    return status.ok() ? absl::OutOfRangeError("the stream has ended") : status;
  }
  void WritesDone() { stream_->WritesDone(); }

 private:
  grpc::ClientContext context_;
  const std::unique_ptr<grpc::ClientReaderWriter<v1::WriteSamplesRequest,
                                                 v1::WriteSamplesResponse>>
      stream_;
  bool finished_ = false;
};

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

TEST_CASE("metrics port: ends a stream with an error of a request",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  REQUIRE_THAT(AgentStream(*agent).Send(request), IsOk());
  AgentStream stream(*agent);
  REQUIRE_THAT(stream.Send(request), IsOk());
  SECTION("of another job, whose name is shown in part") {
    request.set_job_id(std::string(100'000, 'x'));
    const absl::Status status = stream.Send(request).status();
    CHECK_THAT(status, StatusIs(absl::StatusCode::kPermissionDenied, "xxxx"));
    CHECK(status.message().size() < 300);
  }
  SECTION("with a node without a name") {
    request.mutable_nodes(0)->set_node("");
    CHECK_THAT(stream.Send(request),
               StatusIs(absl::StatusCode::kInvalidArgument, "node 0"));
  }
  SECTION("of more than a megabyte") {
    request.mutable_nodes(0)->add_events()->set_text(
        std::string(kMaxRequestBytes, 'x'));
    CHECK_FALSE(stream.Send(request).ok());
  }
  SECTION("of a job that has ended") {
    port.jobs().SetEnded(kJob);
    CHECK_THAT(stream.Send(request),
               StatusIs(absl::StatusCode::kPermissionDenied, "has ended"));
  }
}

TEST_CASE(
    "metrics port: refuses requests on a stream when the certificate has "
    "expired",
    "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob, absl::Seconds(3));
  AgentStream stream(*agent);
  const v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  REQUIRE_THAT(stream.Send(request), IsOk());
  absl::Status refused;
  REQUIRE(testing::WaitFor([&] {
    refused = stream.Send(request).status();
    return !refused.ok();
  }));
  CHECK_THAT(refused,
             StatusIs(absl::StatusCode::kPermissionDenied, "has expired"));
}

TEST_CASE("metrics port: ends a stream without requests", "[metrics]") {
  AgentsPort port({.idle_timeout = absl::Milliseconds(400)});
  const auto agent = port.Agent(port.job_ca(), kJob);
  SECTION("after some") {
    AgentStream stream(*agent);
    REQUIRE_THAT(stream.Send(OneSeries(kJob, absl::Now(), {1})), IsOk());
    CHECK_THAT(stream.Receive(), StatusIs(absl::StatusCode::kAborted, "long"));
  }
  SECTION("from its beginning") {
    AgentStream stream(*agent);
    CHECK_THAT(stream.Receive(), StatusIs(absl::StatusCode::kAborted, "long"));
  }
  CHECK_THAT(AgentStream(*agent).Send(OneSeries(kJob, absl::Now(), {2})),
             IsOk());
}

TEST_CASE("metrics port: limits the streams of a job and of all", "[metrics]") {
  AgentsPort port({.streams = 3, .streams_per_job = 2});
  const auto agent = port.Agent(port.job_ca(), kJob);
  const auto other = port.Agent(port.job_ca(), kOtherJob);
  const v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {1});
  const v1::WriteSamplesRequest others = OneSeries(kOtherJob, absl::Now(), {1});
  {
    AgentStream first(*agent);
    AgentStream second(*agent);
    REQUIRE_THAT(first.Send(request), IsOk());
    REQUIRE_THAT(second.Send(request), IsOk());
    CHECK_THAT(AgentStream(*agent).Send(request),
               StatusIs(absl::StatusCode::kResourceExhausted, "send later"));
    AgentStream third(*other);
    REQUIRE_THAT(third.Send(others), IsOk());
    CHECK_THAT(AgentStream(*other).Send(others),
               StatusIs(absl::StatusCode::kResourceExhausted, "send later"));
  }
  CHECK(
      testing::WaitFor([&] { return AgentStream(*agent).Send(request).ok(); }));
}

TEST_CASE("metrics port: answers the requests of a stream one after another",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  AgentStream stream(*agent);
  const absl::Time now = absl::Now();
  for (int i = 0; i < 20; ++i) {
    stream.Write(OneSeries(kJob, now + absl::Seconds(i),
                           std::vector<double>(static_cast<size_t>(i + 1), 1)));
  }
  for (uint64_t i = 0; i < 20; ++i) {
    const auto stored = stream.Receive();
    REQUIRE_THAT(stored, IsOk());
    CHECK(*stored == i + 1);
  }
  stream.WritesDone();
  CHECK_THAT(stream.Receive(), StatusIs(absl::StatusCode::kOutOfRange));
}

TEST_CASE("metrics port: stops while agents send and hold streams",
          "[metrics]") {
  AgentsPort port({.streams_per_job = 100});
  const auto agent = port.Agent(port.job_ca(), kJob);
  std::vector<std::unique_ptr<AgentStream>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(std::make_unique<AgentStream>(*agent));
  }
  const auto other = port.Agent(port.job_ca(), kOtherJob);
  AgentStream busy(*other);
  REQUIRE_THAT(busy.Send(OneSeries(kOtherJob, absl::Now(), {1})), IsOk());
  std::thread sender([&] {
    while (busy.Send(OneSeries(kOtherJob, absl::Now(), {1})).ok()) {
    }
  });
  const absl::Time begin = absl::Now();
  port.Stop();
  CHECK(absl::Now() - begin < absl::Seconds(10));
  sender.join();
}

TEST_CASE("metrics port: stores samples with the labels of their job",
          "[metrics]") {
  AgentsPort port;
  const auto agent = port.Agent(port.job_ca(), kJob);
  v1::WriteSamplesRequest request = OneSeries(kJob, absl::Now(), {5});
  (*request.mutable_nodes(0)->mutable_series(0)->mutable_labels())["gpu"] =
      std::string("3");
  REQUIRE_THAT(Write(*agent, request), IsOk());
  const std::string series = port.database().Get(
      "/api/v1/series?match[]=carme_job_memory_bytes", "n1");
  CHECK(series.find(absl::StrCat("\"job\":\"", kJob, "\"")) !=
        std::string::npos);
  CHECK(series.find("\"gpu\":\"3\"") != std::string::npos);
}

}  // namespace
}  // namespace carme::metrics
