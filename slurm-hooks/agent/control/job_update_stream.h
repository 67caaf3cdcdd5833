// Updates from the backend while a job runs: one stream, reopened when it ends.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_

#include <functional>
#include <memory>

#include "carme/v1/agent.pb.h"
#include "common/ids.h"
#include "slurm-hooks/agent/usage/activity_monitor.h"

namespace carme::agent {

class BackendConnection;

// Runs on its own thread. While the backend is unavailable nothing changes; the
// stream is reopened with increasing delays, each time with a fresh credential.
class JobUpdateStream {
 public:
  using OnUpdate = std::function<void(carme::v1::WatchJobResponse)>;

  // `on_update` is called on that thread with each message that has content,
  // until destruction starts. `connection` must outlive this.
  JobUpdateStream(BackendConnection* connection, SlurmJobId job,
                  OnUpdate on_update);
  ~JobUpdateStream();

  // Data that is sent to the backend, each time on a reopened stream.
  void Send(const carme::v1::LinkedJob& own_job);
  void Send(const ActivityTimes& use);
  void SendReturnable(const std::vector<std::string>& nodes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_
