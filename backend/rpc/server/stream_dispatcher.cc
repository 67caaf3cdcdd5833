#include "backend/rpc/server/stream_dispatcher.h"

#include <utility>

#include "absl/time/clock.h"

namespace carme::backend {

StreamDispatcher::~StreamDispatcher() { Stop(); }

void StreamDispatcher::Start() {
  thread_ = std::thread([this] { Run(); });
}

void StreamDispatcher::EndAll(const absl::Status& why) {
  {
    absl::MutexLock lock(&mutex_);
    ending_ = why;
  }
  WakeAll();
}

void StreamDispatcher::EndOpen(const absl::Status& why) {
  {
    absl::MutexLock lock(&mutex_);
    ending_open_ = why;
    last_open_ = last_id_;
  }
  WakeAll();
}

void StreamDispatcher::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

uint64_t StreamDispatcher::ReserveSlot() {
  absl::MutexLock lock(&mutex_);
  if (streams_.size() >= max_) return 0;
  streams_[++last_id_] = nullptr;
  return last_id_;
}

void StreamDispatcher::Fill(uint64_t id, std::unique_ptr<Stream> stream) {
  absl::MutexLock lock(&mutex_);
  streams_[id] = std::move(stream);
  woken_.insert(id);
}

void StreamDispatcher::WakeOne(uint64_t id) {
  absl::MutexLock lock(&mutex_);
  woken_.insert(id);
}

void StreamDispatcher::WakeAll() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, stream] : streams_) woken_.insert(id);
}

size_t StreamDispatcher::size() {
  absl::MutexLock lock(&mutex_);
  return streams_.size();
}

void StreamDispatcher::Run() {
  absl::Time next_tick = absl::Now() + kTick;
  while (true) {
    std::vector<uint64_t> ids;
    {
      absl::MutexLock lock(&mutex_);
      const auto wanted = [this] { return stop_ || !woken_.empty(); };
      mutex_.AwaitWithDeadline(absl::Condition(&wanted), next_tick);
      if (stop_) return;
      const std::set<uint64_t> woken = std::exchange(woken_, {});
      ids.assign(woken.begin(), woken.end());
    }
    if (absl::Now() >= next_tick) {
      next_tick = absl::Now() + kTick;
      WakeAll();
    }
    AdvanceStreams(ids);
  }
}

void StreamDispatcher::AdvanceStreams(const std::vector<uint64_t>& ids) {
  for (const uint64_t id : ids) {
    Stream* stream = nullptr;
    absl::Status ending;
    {
      absl::MutexLock lock(&mutex_);
      const auto found = streams_.find(id);
      if (found == streams_.end()) continue;
      stream = found->second.get();
      ending = ending_.ok() && id <= last_open_ ? ending_open_ : ending_;
    }
    if (stream == nullptr || stream->Advance(ending)) continue;
    std::unique_ptr<Stream> over;  // its destructor runs without the lock
    absl::MutexLock lock(&mutex_);
    over = std::move(streams_[id]);
    streams_.erase(id);
  }
}

}  // namespace carme::backend
