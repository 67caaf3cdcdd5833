// metrics_ingest_bench CARME-METRICS ROUNDS: see metrics_ingest.alone.sh.
#include <fcntl.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <httplib.h>
#include <signal.h>
#include <snappy.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/jobs/agents/job_ca.h"
#include "backend/metrics/archive/archive_file.h"
#include "backend/metrics/archive/archive_store.h"
#include "backend/metrics/pages/job_pages.h"
#include "carme/v1/samples.grpc.pb.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/pki/certificate_request.h"
#include "prometheus/remote.pb.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/process_use.h"
#include "tests/support/held_port.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"
#include "tests/support/wait_for.h"

extern char** environ;

namespace carme::metrics {
namespace {

constexpr Figures kFigures("metrics_ingest");
// A job of one node with four GPUs of 25 series, sampled each second, whose
// agent sends ten seconds at once.
constexpr int kJobs = 16;
constexpr int kGpus = 4;
constexpr int kSeriesPerGpu = 25;
constexpr int kSamples = 10;
constexpr int kRequests = 150;  // of a job
constexpr int kSenders = 8;     // requests at the same time
constexpr char kServerName[] = "carme-metrics";

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "metrics_ingest_bench: %s\n", why.c_str());
  std::exit(1);
}

std::string JobName(char first, int index) {
  return absl::StrCat(std::string(1, first), "aaaaaaaaaaaaa",
                      index < 10 ? "0" : "", index);
}

// The value of a sample: as of a GPU that works.
double ValueAt(int series, int sample) {
  return 50 + series + std::round(20 * std::sin(sample / 7.0 + series)) / 4;
}

v1::WriteSamplesRequest RequestOf(const std::string& job, absl::Time begin,
                                  int index) {
  v1::WriteSamplesRequest request;
  request.set_job_id(job);
  v1::NodeSamples* node = request.add_nodes();
  node->set_node("n1");
  node->set_sent_at_ms(absl::ToUnixMillis(absl::Now()));
  for (int i = 0; i < kGpus * kSeriesPerGpu; ++i) {
    v1::SampleSeries* series = node->add_series();
    series->set_name(absl::StrCat("carme_gpu_measure", i % kSeriesPerGpu,
                                  "_bytes_per_second"));
    (*series->mutable_labels())["gpu"] = absl::StrCat(i / kSeriesPerGpu);
    for (int k = 0; k < kSamples; ++k) {
      const int sample = index * kSamples + k;
      series->add_times_ms(
          k == 0 ? absl::ToUnixMillis(begin + absl::Seconds(sample)) : 1000);
      series->add_values(ValueAt(i, sample));
    }
  }
  return request;
}

// What an agent without carme-metrics would send.
std::string BodyOf(const std::string& job, absl::Time begin, int index) {
  prometheus::WriteRequest request;
  for (int i = 0; i < kGpus * kSeriesPerGpu; ++i) {
    prometheus::TimeSeries* series = request.add_timeseries();
    const auto add = [&](const char* name, const std::string& value) {
      prometheus::Label* label = series->add_labels();
      label->set_name(name);
      label->set_value(value);
    };
    add("__name__", absl::StrCat("carme_gpu_measure", i % kSeriesPerGpu,
                                 "_bytes_per_second"));
    add("gpu", absl::StrCat(i / kSeriesPerGpu));
    add("job", job);
    add("node", "n1");
    for (int k = 0; k < kSamples; ++k) {
      const int sample = index * kSamples + k;
      prometheus::Sample* out = series->add_samples();
      out->set_timestamp(absl::ToUnixMillis(begin + absl::Seconds(sample)));
      out->set_value(ValueAt(i, sample));
    }
  }
  const std::string text = request.SerializeAsString();
  std::string body;
  snappy::Compress(text.data(), text.size(), &body);
  return body;
}

// A real carme-metrics, whose backend is away: it knows the job CA.
class MetricsProcess {
 public:
  MetricsProcess(const std::string& program, const std::string& database,
                 TestAuthority* authority, const backend::JobCa& job_ca) {
    const IssuedCertificate own =
        authority->Issue("metrics", absl::StrCat("DNS:", kServerName));
    const std::string config = absl::StrCat(
        "state_directory = \"", dir_.path(), "\"\n[listen]\nagents = \"",
        address(), "\"\nclients = \"127.0.0.1:", clients_.number(),
        "\"\n[tls]\ncertificate = \"", own.certificate_file, "\"\nkey = \"",
        own.key_file, "\"\nca = \"", authority->ca_file(),
        "\"\n[backend]\naddress = \"127.0.0.1:1\"\n[database]\nurl = \"",
        database, "\"\n[limits]\nsamples_per_s_per_job = 1000000\n");
    if (!WriteFile(dir_.File("metrics.toml"), config, 0600).ok() ||
        !WriteFile(dir_.File("job_ca.pem"), job_ca.certificate_pem(), 0600)
             .ok()) {
      Fail("the configuration cannot be written");
    }
    std::string arguments[] = {program, "--config", dir_.File("metrics.toml")};
    char* argv[] = {arguments[0].data(), arguments[1].data(),
                    arguments[2].data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const std::string log = dir_.File("log");
    posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT,
                                     0600);
    const int error =
        posix_spawn(&pid_, program.c_str(), &files, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) Fail(program + " cannot be started");
    if (!testing::WaitFor([&] {
          return ReadFile(log).value_or("").find("serving agents") !=
                 std::string::npos;
        })) {
      Fail(ReadFile(log).value_or(""));
    }
  }
  ~MetricsProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  std::string address() const {
    return absl::StrCat("127.0.0.1:", agents_.number());
  }
  pid_t pid() const { return pid_; }

 private:
  TempDir dir_;
  const testing::HeldPort agents_;
  const testing::HeldPort clients_;
  pid_t pid_ = 0;
};

// Sends the requests of a job on a stream, as its agent does.
class StreamingAgent {
 public:
  explicit StreamingAgent(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::SampleService::NewStub(channel)) {}
  void Send(const v1::WriteSamplesRequest& request) {
    if (stream_ == nullptr) stream_ = stub_->StreamSamples(&context_);
    v1::WriteSamplesResponse response;
    if (!stream_->Write(request) || !stream_->Read(&response)) {
      Fail(stream_->Finish().error_message());
    }
    if (response.rejected() != 0) Fail("samples were rejected");
  }
  ~StreamingAgent() {
    context_.TryCancel();
    if (stream_ != nullptr) stream_->Finish();
  }

 private:
  const std::unique_ptr<v1::SampleService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WriteSamplesRequest,
                                           v1::WriteSamplesResponse>>
      stream_;
};

absl::Duration UsedBy(pid_t pid) {
  return ProcessorTimeOf(absl::StrCat(pid)).all();
}

// Calls `send` for each job, again and again, on threads that have some of the
// jobs each.
void SendAll(const std::function<void(int job, int request)>& send) {
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&send, sender] {
      for (int i = 0; i < kRequests; ++i) {
        for (int job = sender; job < kJobs; job += kSenders) send(job, i);
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
}

constexpr double kTotal =
    double{kJobs} * kRequests * kGpus * kSeriesPerGpu * kSamples;

// Samples in a second of a core, directly.
double Direct() {
  TsdbServer database(TsdbServer::Kind::kVictoriaMetrics);
  const absl::Time begin = absl::Now() - absl::Minutes(50);
  std::vector<std::vector<std::string>> bodies(kJobs);
  std::vector<std::unique_ptr<httplib::Client>> agents;
  for (int job = 0; job < kJobs; ++job) {
    for (int i = 0; i < kRequests; ++i) {
      bodies[job].push_back(BodyOf(JobName('d', job), begin, i));
    }
    agents.push_back(std::make_unique<httplib::Client>(database.url()));
    agents.back()->set_keep_alive(true);
    agents.back()->set_tcp_nodelay(true);
  }
  const absl::Duration before = UsedBy(database.pid());
  SendAll([&](int job, int i) {
    const auto result =
        agents[job]->Post("/api/v1/write", {{"Content-Encoding", "snappy"}},
                          bodies[job][i], "application/x-protobuf");
    if (!result || result->status != 204) Fail("direct write");
  });
  return kTotal / absl::ToDoubleSeconds(UsedBy(database.pid()) - before);
}

// The same through carme-metrics, whose processor time counts, too.
double Through(const std::string& program) {
  TsdbServer database(TsdbServer::Kind::kVictoriaMetrics);
  TempDir dir;
  TestAuthority authority;
  const backend::JobCa job_ca =
      backend::JobCa::Open(dir.File("ca.pem"), absl::Now()).value();
  const MetricsProcess metrics(program, database.url(), &authority, job_ca);
  const absl::Time begin = absl::Now() - absl::Minutes(50);
  std::vector<std::unique_ptr<StreamingAgent>> agents;
  std::vector<std::vector<v1::WriteSamplesRequest>> requests(kRequests);
  for (int job = 0; job < kJobs; ++job) {
    const std::string name = JobName('j', job);
    const KeyAndRequest key = NewCertificateRequest().value();
    TlsMaterial tls;
    tls.certificate = job_ca
                          .Issue(key.csr_pem, JobId(name), absl::Now(),
                                 absl::Now() + absl::Hours(1))
                          .value();
    tls.key = key.key_pem;
    tls.ca = ReadFile(authority.ca_file()).value();
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(kServerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    agents.push_back(std::make_unique<StreamingAgent>(grpc::CreateCustomChannel(
        metrics.address(), BackendCredentials(tls), arguments)));
    for (int i = 0; i < kRequests; ++i) {
      requests[i].push_back(RequestOf(name, begin, i));
    }
  }
  const absl::Duration before = UsedBy(database.pid()) + UsedBy(metrics.pid());
  SendAll([&](int job, int i) { agents[job]->Send(requests[i][job]); });
  return kTotal / absl::ToDoubleSeconds(UsedBy(database.pid()) +
                                        UsedBy(metrics.pid()) - before);
}

// A page with six series of each of 64 GPUs over an hour.
void ArchivePage() {
  constexpr int kAllGpus = 64;
  constexpr int kHour_s = 3600;
  constexpr int kNames = 6;
  TempDir dir;
  const std::string job = JobName('j', 0);
  archive::v1::JobArchive archive;
  archive.set_schema(kArchiveSchema);
  archive.mutable_job()->set_job_id(job);
  const int64_t end_ms = absl::ToUnixMillis(absl::Now()) / 1000 * 1000;
  archive.mutable_job()->set_started_at_ms(end_ms - (kHour_s - 1) * 1000);
  archive.mutable_job()->set_ended_at_ms(end_ms);
  for (int i = 0; i < kAllGpus * kSeriesPerGpu; ++i) {
    archive::v1::ArchivedSeries* series = archive.add_series();
    series->set_name(absl::StrCat("carme_gpu_measure", i % kSeriesPerGpu));
    series->set_node(absl::StrCat("n", i / kSeriesPerGpu / kGpus));
    (*series->mutable_labels())["gpu"] =
        absl::StrCat(i / kSeriesPerGpu % kGpus);
    archive::v1::Resolution* points = series->add_resolutions();
    points->set_step_s(1);
    points->set_first_ms(archive.job().started_at_ms());
    for (int k = 0; k < kHour_s; ++k) points->add_values(ValueAt(i, k));
  }
  const ArchiveStore store(dir.path(), {});
  if (!store.Write(archive).ok()) Fail("the archive cannot be written");
  KnownJobs jobs;
  SystemClock clock;
  RemoteWriter writer({.address = {.url = "http://127.0.0.1:1"}});
  SampleIngest ingest({.writer = &writer, .jobs = &jobs, .clock = &clock}, {});
  DatabaseReader reader({.url = "http://127.0.0.1:1"}, absl::Seconds(1));
  JobPages pages(
      {.store = &store, .ingest = &ingest, .reader = &reader, .clock = &clock});
  v1::GetJobMetricsRequest request;
  request.set_job_id(job);
  request.set_step_s(10);
  for (int i = 0; i < kNames; ++i) {
    request.add_names(absl::StrCat("carme_gpu_measure", i));
  }
  std::vector<double> times_ms;
  for (int i = 0; i < 20; ++i) {
    const absl::Time began = absl::Now();
    const auto page = pages.Get(archive.job(), request);
    if (!page.ok() || page->series_size() != kAllGpus * kNames) {
      Fail("the page is incomplete");
    }
    const std::string sent = page->SerializeAsString();
    times_ms.push_back(absl::ToDoubleMilliseconds(absl::Now() - began));
  }
  kFigures.Print("carme", "archive_page_p50_ms", Percentile(times_ms, 50),
                 "ms");
  kFigures.Print("carme", "archive_page_p95_ms", Percentile(times_ms, 95),
                 "ms");
  kFigures.Print(
      "carme", "archive_mb",
      static_cast<double>(
          ReadFile(dir.File(job + ".zst"), 64 << 20).value().size()) /
          1e6,
      "MB");
}

}  // namespace
}  // namespace carme::metrics

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tests/bench/run metrics_ingest\n");
    return 2;
  }
  using namespace carme::metrics;  // NOLINT
  std::vector<double> direct;
  std::vector<double> carme;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    direct.push_back(Direct());
    carme.push_back(Through(argv[1]));
  }
  const double direct_median = carme::Percentile(direct, 50);
  const double carme_median = carme::Percentile(carme, 50);
  kFigures.Print("direct", "samples_per_core_second", direct_median, "1/s");
  kFigures.Print("carme", "samples_per_core_second", carme_median, "1/s");
  kFigures.Print("carme", "ratio:carme/direct", carme_median / direct_median,
                 "");
  ArchivePage();
  return 0;
}
