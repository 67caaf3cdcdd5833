#include "tests/bench/support/watchers.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "tests/bench/support/frontend_channel.h"

namespace carme {
namespace {

// A server takes only so many streams on one connection.
constexpr size_t kStreamsOfChannel = 100;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "watchers: %s\n", what.c_str());
  std::_Exit(1);
}

}  // namespace

struct Watchers::State {
  std::string address;
  std::string pki;
  Listener listener;
  std::unique_ptr<v1::JobService::Stub> stub;
  std::atomic<size_t> snapshots = 0;
  std::atomic<bool> ending = false;
};

class Watchers::Stream : public grpc::ClientReadReactor<v1::WatchJobsResponse> {
 public:
  Stream(State* state, size_t number, v1::JobService::Stub* stub,
         const std::string& token)
      : state_(*state), number_(number) {
    context_.AddMetadata("carme-session", token);
    stub->async()->WatchJobs(&context_, &request_, this);
    StartRead(&message_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (message_.snapshot()) ++state_.snapshots;
    state_.listener(number_, message_, absl::Now());
    StartRead(&message_);
  }
  void OnDone(const grpc::Status& status) override {
    if (!state_.ending) Fail("a stream ended: " + status.error_message());
    done_.Notify();
  }
  void End() {
    context_.TryCancel();
    done_.WaitForNotification();
  }

 private:
  State& state_;
  const size_t number_;
  grpc::ClientContext context_;
  const v1::WatchJobsRequest request_;
  v1::WatchJobsResponse message_;
  absl::Notification done_;
};

Watchers::Watchers(const std::string& address, const std::string& pki,
                   Listener listener)
    : state_(std::make_unique<State>()) {
  state_->address = address;
  state_->pki = pki;
  state_->listener = std::move(listener);
}

Watchers::~Watchers() {
  state_->ending = true;
  for (const auto& stream : streams_) stream->End();
}

void Watchers::Add(const std::string& token) {
  if (streams_.size() % kStreamsOfChannel == 0) {
    state_->stub = v1::JobService::NewStub(
        NewFrontendChannel(state_->address, state_->pki));
  }
  streams_.push_back(std::make_unique<Stream>(state_.get(), streams_.size(),
                                              state_->stub.get(), token));
}

void Watchers::AwaitSnapshots() {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (state_->snapshots < streams_.size()) {
    if (absl::Now() > deadline) Fail("not every stream has begun");
    absl::SleepFor(absl::Milliseconds(20));
  }
}

}  // namespace carme
