// The first process of a job's environment: starts programs in it as the agent
// orders, says how they end, and takes everything with it when the agent goes.
//
// Thread rule: one thread, and no other in the process.
//
// 1. What it starts never outlives it, nor what that left behind: as process 1
//    by its namespace, else as the one to whom orphans are given.
// 2. It ends when its connection ends: an agent that was killed leaves nothing.
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
  // `agent` is connected. `self` is this program's path, for bridges.
  static absl::StatusOr<std::unique_ptr<Init>> Create(net::EventLoop& loop,
                                                      UniqueFd agent,
                                                      std::string self);
  ~Init() override;

  // For SIGCHLD: reports who ended.
  void OnChildren();

 private:
  Init(net::EventLoop& loop, UniqueFd agent, std::string self);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void Handle(const Packet& packet);
  void Start(const v1::Start& order, const Packet& packet);
  void Send(const v1::Event& event);

  net::EventLoop& loop_;
  const UniqueFd agent_;
  const std::string self_;
  Children children_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_INIT_H_
