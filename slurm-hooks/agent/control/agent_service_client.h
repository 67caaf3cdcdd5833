// The agent's calls to the backend, on one thread of their own, so that a
// backend that is slow or away never holds up a session.
//
// Each attempt carries a fresh MUNGE credential. What can be mended by waiting
// (the backend or its Slurm away, munged away) is tried again with growing
// pauses.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
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

  // BackendConnection's errors.
  static absl::StatusOr<std::unique_ptr<AgentServiceClient>> Open(
      AgentServiceClientOptions options);
  // Cancels what is under way; what was not reported stays so.
  ~AgentServiceClient();

  // `done` is called once, on the link's thread, but not after destruction has
  // begun. PERMISSION_DENIED: the backend says no; UNAVAILABLE and others: the
  // last answer when the timeout was at its end.
  void Register(std::string csr_pem, uint16_t port, OnRegistered done);

  // Of an app, or, without one, of the job. Tried until the backend takes or
  // refuses it, or until a newer one of this app or of the job replaces it.
  // `detail` is cut to 400 characters.
  void Report(const std::string& app, carme::v1::AppState state,
              std::string detail);

  // What became of an image. `done` is called as that of Register, with the
  // backend's answer or the last one when the timeout was at its end. Once.
  using OnReported = std::function<void(absl::Status)>;
  void ReportImage(carme::v1::ReportImageRequest request, OnReported done);

  // Listens from now on to what the backend says of itself: whom to let in. As
  // JobUpdateStream, on a thread beside the link's. Once.
  void Follow(JobUpdateStream::OnUpdate on_news);

  // For companions: what the backend hears on that stream. REQUIRES: Follow.
  void Say(const carme::v1::JobMember& member) { updates_->Say(member); }
  // Likewise: when the job was last used.
  void Say(const ActivityTimes& use) { updates_->Say(use); }

  // Waits until there is nothing left to report. False: `most` was too short.
  bool Drain(absl::Duration most);

 private:
  struct State;
  AgentServiceClient(AgentServiceClientOptions options,
                     std::unique_ptr<BackendConnection> channel);
  std::unique_ptr<State> state_;
  std::unique_ptr<JobUpdateStream> updates_;  // uses the state's channel
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_AGENT_SERVICE_CLIENT_H_
