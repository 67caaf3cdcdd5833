// Delivers signals as events of an event loop.
#ifndef CARME_SLURM_HOOKS_PROCESS_SIGNAL_SOURCE_H_
#define CARME_SLURM_HOOKS_PROCESS_SIGNAL_SOURCE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>

#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"

namespace carme::node {

// Blocks the signals in this thread and its future threads. Call before the
// first thread starts.
void BlockSignals(std::initializer_list<int> signals);

class SignalSource : private net::EventSource {
 public:
  // The signals must be blocked in all threads. `on_signal` runs on the loop.
  static absl::StatusOr<std::unique_ptr<SignalSource>> Create(
      net::EventLoop& loop, std::initializer_list<int> signals,
      std::function<void(int)> on_signal);
  ~SignalSource() override;

 private:
  SignalSource(net::EventLoop& loop, UniqueFd fd,
               std::function<void(int)> on_signal);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}

  net::EventLoop& loop_;
  UniqueFd fd_;
  std::function<void(int)> on_signal_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_SIGNAL_SOURCE_H_
