// The agent's connection to carme-init: sends requests, receives events.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_INIT_LINK_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_INIT_LINK_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/init.pb.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"

namespace carme::agent {

class InitLink : private net::EventSource {
 public:
  // `on_event` runs on the loop for each event of carme-init. `on_gone` runs
  // once, when carme-init has disconnected.
  using OnEvent = std::function<void(const carme::node::v1::InitEvent&)>;
  using OnGone = std::function<void()>;

  // Listens at `path` for the single connection of carme-init.
  static absl::StatusOr<std::unique_ptr<InitLink>> Listen(
      net::EventLoop& loop, const std::string& path, OnEvent on_event,
      OnGone on_gone);
  ~InitLink() override;

  // UNAVAILABLE: carme-init is not connected or does not read. The descriptors
  // stay the caller's; an input of -1 is /dev/null.
  absl::Status Start(carme::node::v1::StartProgram request, int input,
                     int output, int error);
  absl::Status Signal(uint64_t id, int number);
  // of carme-init in this pid namespace; 0: not connected
  pid_t pid() const { return pid_; }

 private:
  InitLink(net::EventLoop& loop, UniqueFd listener, OnEvent on_event,
           OnGone on_gone);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void Accept();
  void Receive();
  void HangUp();
  int Watched() const;

  net::EventLoop& loop_;
  UniqueFd listener_;
  UniqueFd connection_;
  const OnEvent on_event_;
  const OnGone on_gone_;
  pid_t pid_ = 0;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_INIT_LINK_H_
