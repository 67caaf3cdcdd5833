// SampleService as carme-metrics serves it, without a database: TLS, and only
// callers with a certificate of the job CA.
#ifndef CARME_TESTS_SLURM_HOOKS_AGENT_METRICS_FAKE_METRICS_SERVER_H_
#define CARME_TESTS_SLURM_HOOKS_AGENT_METRICS_FAKE_METRICS_SERVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/v1/samples.pb.h"
#include "tests/slurm-hooks/agent/fake_backend.h"

namespace carme::agent {

class FakeMetricsServer {
 public:
  // Agents of `backend` send to this server from their registration on.
  explicit FakeMetricsServer(FakeAgentBackend& backend,
                             const std::string& host = "127.0.0.1",
                             int port = 0);
  ~FakeMetricsServer();

  // The port refuses connections until Start.
  void Stop();
  void Start();
  // What requests get from now on.
  void Answer(absl::Status status);

  struct Sample {
    int64_t time_ms;
    double value;
  };
  // The samples of all series of this name that have these labels, in the order
  // in which they came.
  std::vector<Sample> Samples(
      const std::string& name,
      const std::map<std::string, std::string>& labels = {},
      const std::string& node = "") const;
  std::optional<double> Last(
      const std::string& name,
      const std::map<std::string, std::string>& labels = {},
      const std::string& node = "") const;
  // Names and labels of all series, a line each.
  std::string Names() const;
  std::vector<carme::v1::NodeEvent> Events(const std::string& kind) const;
  uint64_t missed() const;
  uint64_t dropped() const;
  int calls() const;  // requests
  int streams() const;
  // All requests that were accepted.
  std::vector<carme::v1::WriteSamplesRequest> requests() const;
  // The alternative names in the certificates of callers.
  std::vector<std::string> callers() const;

 private:
  class Service;
  const std::string job_ca_pem_;
  const std::string host_;
  const testing::TestIdentity identity_;
  std::unique_ptr<Service> service_;
};

}  // namespace carme::agent

#endif  // CARME_TESTS_SLURM_HOOKS_AGENT_METRICS_FAKE_METRICS_SERVER_H_
