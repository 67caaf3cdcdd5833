// What the backend has to say while a job runs: one stream, followed for ever.
#ifndef CARME_SLURM_HOOKS_AGENT_BACKEND_NEWS_H_
#define CARME_SLURM_HOOKS_AGENT_BACKEND_NEWS_H_

#include <functional>
#include <memory>

#include "carme/v1/agent.pb.h"
#include "common/ids.h"
#include "slurm-hooks/agent/use_watch.h"

namespace carme::agent {

class BackendChannel;

// A thread of its own. While the backend is away nothing changes; it is
// followed again with growing pauses, each time with a fresh credential.
class BackendNews {
 public:
  using OnNews = std::function<void(carme::v1::FollowResponse)>;

  // `on_news` is called on that thread with each message that says something,
  // until destruction begins. `channel` outlives this.
  BackendNews(BackendChannel* channel, SlurmJobId job, OnNews on_news);
  ~BackendNews();

  // What the backend is told from now on, by a stream that is opened anew.
  void Say(const carme::v1::JobMember& member);
  void Say(const UseTimes& use);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_BACKEND_NEWS_H_
