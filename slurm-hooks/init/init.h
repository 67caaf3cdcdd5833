// The first process of a job's environment. It starts programs on request of
// the agent, reports their end, and ends everything when the agent disconnects.
//
// Thread safety: the process has one thread.
//
// 1. Processes that it started, and their descendants, never outlive it: it is
//    process 1 of its pid namespace, or else the subreaper.
// 2. It ends when its connection ends: an agent that was killed leaves no
// processes.
#ifndef CARME_SLURM_HOOKS_INIT_INIT_H_
#define CARME_SLURM_HOOKS_INIT_INIT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/init.pb.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"
#include "slurm-hooks/process/children.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::node {

class Init : private net::EventSource {
 public:
  // `agent` is a connected socket. `self` is the path of this program, for
  // bridges.
  static absl::StatusOr<std::unique_ptr<Init>> Create(net::EventLoop& loop,
                                                      UniqueFd agent,
                                                      std::string self);
  ~Init() override;

  // Must be called for SIGCHLD: reports ended programs.
  void OnChildren();

 private:
  Init(net::EventLoop& loop, UniqueFd agent, std::string self);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void Handle(const Packet& packet);
  void Start(const v1::StartProgram& request, const Packet& packet);
  void Send(const v1::InitEvent& event);

  net::EventLoop& loop_;
  const UniqueFd agent_;
  const std::string self_;
  Children children_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_INIT_H_
