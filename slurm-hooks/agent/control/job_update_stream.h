// What the backend has to say while a job runs: one stream, followed for ever.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_

#include <functional>
#include <memory>

#include "carme/v1/agent.pb.h"
#include "common/ids.h"
#include "slurm-hooks/agent/usage/activity_monitor.h"

namespace carme::agent {

class BackendConnection;

// A thread of its own. While the backend is away nothing changes; it is
// followed again with growing pauses, each time with a fresh credential.
class JobUpdateStream {
 public:
  using OnUpdate = std::function<void(carme::v1::WatchJobResponse)>;

  // `on_news` is called on that thread with each message that says something,
  // until destruction begins. `channel` outlives this.
  JobUpdateStream(BackendConnection* channel, SlurmJobId job, OnUpdate on_news);
  ~JobUpdateStream();

  // What the backend is told from now on, by a stream that is opened anew.
  void Say(const carme::v1::JobMember& member);
  void Say(const ActivityTimes& use);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_JOB_UPDATE_STREAM_H_
