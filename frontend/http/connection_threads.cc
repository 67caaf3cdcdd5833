#include "frontend/http/connection_threads.h"

#include <system_error>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "common/log.h"

namespace carme::frontend {
namespace {

constexpr int kMaxRefusingThreads = 4;
// Each has a descriptor.
constexpr int kMaxRefusals = 64;
constexpr absl::Duration kIdleTime = absl::Seconds(10);

thread_local bool must_refuse = false;

}  // namespace

bool ConnectionThreads::MustRefuse() { return must_refuse; }

ConnectionThreads::~ConnectionThreads() {
  DrainAll();
  absl::MutexLock lock(&mutex_);
  ending_ = true;
  served_.arrived.SignalAll();
  refused_.arrived.SignalAll();
  mutex_.Await(absl::Condition(this, &ConnectionThreads::HasNoThread));
}

void ConnectionThreads::Run(std::function<void()> connection) {
  absl::MutexLock lock(&mutex_);
  Lane* lane = &served_;
  const bool full = served_.connections >= max_connections_;
  if (full) LogWarning("too many connections", {{"limit", max_connections_}});
  if (full || draining_) {
    lane = &refused_;
    mutex_.Await(absl::Condition(this, &ConnectionThreads::MayRefuseOneMore));
  }
  ++lane->connections;
  lane->waiting.push_back(std::move(connection));
  if (lane->waiting.size() <= lane->idle) {
    lane->arrived.Signal();
  } else if (lane == &served_ || lane->threads < kMaxRefusingThreads) {
    Start(lane);
  }
}

void ConnectionThreads::Start(Lane* lane) {
  ++lane->threads;
  try {
    std::thread([this, lane] { RunLane(lane); }).detach();
  } catch (const std::system_error& error) {
    --lane->threads;
    LogError("cannot start a thread for a connection",
             {{"threads", lane->threads}, {"error", error.what()}});
    if (lane->threads > 0) return;  // one of them takes the connection
    const std::function<void()> connection = std::move(lane->waiting.back());
    lane->waiting.pop_back();
    mutex_.Unlock();
    must_refuse = true;
    connection();
    must_refuse = false;
    mutex_.Lock();
    --lane->connections;
  }
}

// Holds the lock until the end: the destructor may return afterwards.
void ConnectionThreads::RunLane(Lane* lane) {
  absl::MutexLock lock(&mutex_);
  must_refuse = lane->refuses;
  while (WaitForConnection(lane)) {
    std::function<void()> connection = std::move(lane->waiting.front());
    lane->waiting.pop_front();
    mutex_.Unlock();
    connection();
    connection = nullptr;  // destroyed without the lock
    mutex_.Lock();
    --lane->connections;
  }
  --lane->threads;
}

bool ConnectionThreads::WaitForConnection(Lane* lane) {
  bool timed_out = false;
  while (lane->waiting.empty() && !ending_ && !timed_out) {
    ++lane->idle;
    timed_out = lane->arrived.WaitWithTimeout(&mutex_, kIdleTime);
    --lane->idle;
  }
  return !lane->waiting.empty();
}

bool ConnectionThreads::MayRefuseOneMore() const {
  return refused_.connections < kMaxRefusals;
}

bool ConnectionThreads::ServesNone() const { return served_.connections == 0; }

bool ConnectionThreads::HasNoConnection() const {
  return served_.connections == 0 && refused_.connections == 0;
}

bool ConnectionThreads::HasNoThread() const {
  return served_.threads == 0 && refused_.threads == 0;
}

void ConnectionThreads::Drain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  mutex_.Await(absl::Condition(this, &ConnectionThreads::ServesNone));
}

void ConnectionThreads::DrainAll() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  mutex_.Await(absl::Condition(this, &ConnectionThreads::HasNoConnection));
}

}  // namespace carme::frontend
