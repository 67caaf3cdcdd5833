#include "backend/rpc/server/stream_dispatcher.h"

#include <utility>

#include "absl/time/clock.h"

namespace carme::backend {

StreamDispatcher::~StreamDispatcher() {
  Stop();
  // Streams that ended last. What still wakes them needs the dispatcher.
  std::map<uint64_t, std::unique_ptr<Stream>> left;
  absl::MutexLock lock(&mutex_);
  left.swap(streams_);
}

void StreamDispatcher::Start() {
  next_tick_ = absl::Now() + kTick;
  thread_.Start("streams", [this] { return ServeOnce(); });
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

void StreamDispatcher::Stop() { thread_.Stop(); }

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
  thread_.Wake();
}

// The thread is woken under the lock: as soon as it is released, the stream may
// end, and with the last stream the dispatcher.
void StreamDispatcher::WakeOne(uint64_t id) {
  absl::MutexLock lock(&mutex_);
  woken_.insert(id);
  thread_.Wake();
}

void StreamDispatcher::WakeAll() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, stream] : streams_) woken_.insert(id);
  thread_.Wake();
}

size_t StreamDispatcher::size() {
  absl::MutexLock lock(&mutex_);
  return streams_.size();
}

absl::Duration StreamDispatcher::ServeOnce() {
  const absl::Time now = absl::Now();
  const bool is_tick = now >= next_tick_;
  if (is_tick) next_tick_ = now + kTick;
  std::vector<uint64_t> ids;
  {
    absl::MutexLock lock(&mutex_);
    if (is_tick) {
      for (const auto& [id, stream] : streams_) woken_.insert(id);
    }
    const std::set<uint64_t> woken = std::exchange(woken_, {});
    ids.assign(woken.begin(), woken.end());
  }
  AdvanceStreams(ids);
  return next_tick_ - absl::Now();
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
