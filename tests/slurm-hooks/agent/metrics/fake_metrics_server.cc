#include "tests/slurm-hooks/agent/metrics/fake_metrics_server.h"

#include <grpcpp/grpcpp.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/samples.grpc.pb.h"
#include "common/grpc/grpc_status.h"

namespace carme::agent {

class FakeMetricsServer::Service : public carme::v1::SampleService::Service {
 public:
  grpc::Status StreamSamples(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<carme::v1::WriteSamplesResponse,
                               carme::v1::WriteSamplesRequest>* stream)
      override {
    {
      absl::MutexLock lock(&mutex);
      ++streams;
      for (const auto& name : context->auth_context()->FindPropertyValues(
               GRPC_X509_SAN_PROPERTY_NAME)) {
        callers.emplace_back(name.data(), name.size());
      }
    }
    carme::v1::WriteSamplesRequest request;
    while (stream->Read(&request)) {
      carme::v1::WriteSamplesResponse response;
      const grpc::Status status = Write(request, &response);
      if (!status.ok()) return status;
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

  grpc::Status Write(const carme::v1::WriteSamplesRequest& request,
                     carme::v1::WriteSamplesResponse* response) {
    absl::MutexLock lock(&mutex);
    ++calls;
    if (!answer.ok()) return ToGrpc(answer);
    for (const auto& node : request.nodes()) {
      for (const auto& series : node.series()) {
        response->set_stored(response->stored() +
                             static_cast<uint64_t>(series.values_size()));
      }
    }
    requests.push_back(request);
    return grpc::Status::OK;
  }

  mutable absl::Mutex mutex;
  absl::Status answer;
  int calls = 0;
  int streams = 0;
  std::vector<std::string> callers;
  std::vector<carme::v1::WriteSamplesRequest> requests;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

FakeMetricsServer::FakeMetricsServer(FakeAgentBackend& backend,
                                     const std::string& host, int port)
    : job_ca_pem_(backend.job_ca_pem()),
      host_(host),
      identity_(backend.site_ca().Issue({"carme-metrics"})),
      service_(std::make_unique<Service>()) {
  service_->port = port;
  Start();
  carme::v1::MetricsPlan& plan = *backend.metrics();
  plan.add_servers(absl::StrCat(host, ":", service_->port));
  plan.set_ca_pem(backend.ca_pem());
  plan.set_server_name("carme-metrics");
  plan.set_interval_ms(200);
  plan.set_gpu_interval_ms(200);
}

FakeMetricsServer::~FakeMetricsServer() { Stop(); }

void FakeMetricsServer::Start() {
  grpc::SslServerCredentialsOptions tls(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = job_ca_pem_;
  tls.pem_key_cert_pairs.push_back(
      {identity_.key_pem, identity_.certificate_pem});
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat(host_, ":", service_->port),
                           grpc::SslServerCredentials(tls), &service_->port);
  builder.RegisterService(service_.get());
  service_->server = builder.BuildAndStart();
  if (service_->server == nullptr) {
    throw std::runtime_error("no test server for metrics");
  }
}

void FakeMetricsServer::Stop() {
  if (service_->server == nullptr) return;
  service_->server->Shutdown(absl::ToChronoTime(absl::Now()));
  service_->server->Wait();
  service_->server.reset();
}

void FakeMetricsServer::Answer(absl::Status status) {
  absl::MutexLock lock(&service_->mutex);
  service_->answer = std::move(status);
}

std::vector<FakeMetricsServer::Sample> FakeMetricsServer::Samples(
    const std::string& name, const std::map<std::string, std::string>& labels,
    const std::string& node) const {
  std::vector<Sample> samples;
  for (const auto& request : requests()) {
    for (const auto& one : request.nodes()) {
      if (!node.empty() && one.node() != node) continue;
      for (const auto& series : one.series()) {
        const std::map<std::string, std::string> own(series.labels().begin(),
                                                     series.labels().end());
        if (series.name() != name || own != labels) continue;
        int64_t time_ms = 0;
        for (int i = 0; i < series.values_size(); ++i) {
          time_ms += series.times_ms(i);
          samples.push_back({time_ms, series.values(i)});
        }
      }
    }
  }
  return samples;
}

std::optional<double> FakeMetricsServer::Last(
    const std::string& name, const std::map<std::string, std::string>& labels,
    const std::string& node) const {
  const std::vector<Sample> samples = Samples(name, labels, node);
  if (samples.empty()) return std::nullopt;
  return samples.back().value;
}

std::string FakeMetricsServer::Names() const {
  std::set<std::string> names;
  for (const auto& request : requests()) {
    for (const auto& node : request.nodes()) {
      for (const auto& series : node.series()) {
        std::string name = absl::StrCat(node.node(), " ", series.name());
        const std::map<std::string, std::string> labels(series.labels().begin(),
                                                        series.labels().end());
        for (const auto& [label, value] : labels) {
          absl::StrAppend(&name, " ", label, "=", value);
        }
        names.insert(std::move(name));
      }
    }
  }
  return absl::StrJoin(names, "\n");
}

std::vector<carme::v1::NodeEvent> FakeMetricsServer::Events(
    const std::string& kind) const {
  std::vector<carme::v1::NodeEvent> found;
  for (const auto& request : requests()) {
    for (const auto& node : request.nodes()) {
      for (const auto& event : node.events()) {
        if (event.kind() == kind) found.push_back(event);
      }
    }
  }
  return found;
}

uint64_t FakeMetricsServer::missed() const {
  uint64_t sum = 0;
  for (const auto& request : requests()) {
    for (const auto& node : request.nodes()) sum += node.missed();
  }
  return sum;
}

uint64_t FakeMetricsServer::dropped() const {
  uint64_t sum = 0;
  for (const auto& request : requests()) {
    for (const auto& node : request.nodes()) sum += node.dropped();
  }
  return sum;
}

int FakeMetricsServer::streams() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->streams;
}

int FakeMetricsServer::calls() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->calls;
}

std::vector<carme::v1::WriteSamplesRequest> FakeMetricsServer::requests()
    const {
  absl::MutexLock lock(&service_->mutex);
  return service_->requests;
}

std::vector<std::string> FakeMetricsServer::callers() const {
  absl::MutexLock lock(&service_->mutex);
  return service_->callers;
}

}  // namespace carme::agent
