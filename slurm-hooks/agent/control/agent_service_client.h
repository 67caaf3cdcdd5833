// Calls of the agent to AgentService, on a thread of their own, so that a slow
// or unavailable backend never blocks a session.
//
// Each attempt carries a fresh MUNGE credential. Temporary failures (backend,
// Slurm or munged unavailable) are retried with increasing delays.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "common/display_text.h"
#include "common/ids.h"
#include "slurm-hooks/agent/control/backend_connection.h"
#include "slurm-hooks/agent/control/job_update_stream.h"

namespace carme::agent {

struct AgentServiceClientOptions {
  BackendAddress backend;
  SlurmJobId job;
  absl::Duration registration_timeout = absl::Minutes(5);
};

// Thread-safe.
class AgentServiceClient {
 public:
  using OnRegistered =
      std::function<void(absl::StatusOr<carme::v1::RegisterResponse>)>;

  // Fails with the errors of BackendConnection.
  static absl::StatusOr<std::unique_ptr<AgentServiceClient>> Open(
      AgentServiceClientOptions options);
  // Cancels pending calls; unsent reports are lost.
  ~AgentServiceClient();

  // `done` is called once, on the client's thread, but not after destruction
  // has started. PERMISSION_DENIED: the backend rejects the job; UNAVAILABLE
  // and others: the last error when the timeout expired.
  void Register(std::string csr_pem, uint16_t port, OnRegistered done);

  // Reports the state of an app, or of the job if `app` is empty. Retried until
  // the backend accepts or rejects the report, or a newer report about the same
  // app or job replaces it. `detail` is cut to 400 characters. A detail that is
  // cut, and one with a very long code, is sent in English only.
  void Report(const std::string& app, carme::v1::AppState state,
              const DisplayText& detail);

  // Reports the result of an image job, once. `done` is called like that of
  // Register.
  using OnReported = std::function<void(absl::Status)>;
  void ReportImage(carme::v1::ReportImageRequest request, OnReported done);

  // Receives updates of the job from the backend, on another thread
  // (job_update_stream.h). Registers again and repeats the last reports if an
  // update requests that. Must be called at most once.
  void Follow(JobUpdateStream::OnUpdate on_update);

  // Sends the nodes of this job, for linked jobs. Call Follow first.
  void Send(const carme::v1::LinkedJob& job) { updates_->Send(job); }
  // Sends when the job was last in use. Call Follow first.
  void Send(const ActivityTimes& use) { updates_->Send(use); }
  void SendReturnable(const std::vector<std::string>& nodes) {
    if (updates_ != nullptr) updates_->SendReturnable(nodes);
  }

  // Waits until all reports are sent. Returns false after `max`.
  bool Drain(absl::Duration max);

 private:
  struct State;
  AgentServiceClient(AgentServiceClientOptions options,
                     std::unique_ptr<BackendConnection> channel);
  std::unique_ptr<State> state_;
  std::unique_ptr<JobUpdateStream> updates_;  // uses the state's connection
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_
