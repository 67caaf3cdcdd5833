#include "slurm-hooks/process/signal_source.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "common/status.h"

namespace carme::node {
namespace {

sigset_t SetOf(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  return set;
}

}  // namespace

void BlockSignals(std::initializer_list<int> signals) {
  const sigset_t set = SetOf(signals);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalSource::SignalSource(net::EventLoop& loop, UniqueFd fd,
                           std::function<void(int)> on_signal)
    : loop_(loop), fd_(std::move(fd)), on_signal_(std::move(on_signal)) {}

SignalSource::~SignalSource() { loop_.Remove(fd_.get(), this); }

absl::StatusOr<std::unique_ptr<SignalSource>> SignalSource::Create(
    net::EventLoop& loop, std::initializer_list<int> signals,
    std::function<void(int)> on_signal) {
  const sigset_t set = SetOf(signals);
  UniqueFd fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd.valid()) return ErrnoError(errno, "signalfd");
  std::unique_ptr<SignalSource> source(
      new SignalSource(loop, std::move(fd), std::move(on_signal)));
  // Level-triggered: one signal is read per event.
  RETURN_IF_ERROR(loop.Add(source->fd_.get(), EPOLLIN, source.get()));
  return source;
}

void SignalSource::OnEvents(uint32_t) {
  signalfd_siginfo info{};
  if (read(fd_.get(), &info, sizeof info) == sizeof info) {
    on_signal_(static_cast<int>(info.ssi_signo));
  }
}

}  // namespace carme::node
