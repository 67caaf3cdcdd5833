// One thread that serves all open server streams. An event of a stream (an
// update, a completed write, a disconnect) only wakes it; the dispatcher's
// thread does all its work, so a stream needs no lock.
#ifndef CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_
#define CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Thread-safe.
class StreamDispatcher {
 public:
  // How often every stream is advanced without being woken.
  static constexpr absl::Duration kTick = absl::Milliseconds(500);

  class Stream {
   public:
    virtual ~Stream() = default;
    // Does what is possible without blocking. `ending` is not OK when all
    // streams must end. False: the stream has ended and is deleted.
    virtual bool Advance(const absl::Status& ending) = 0;
  };
  using Wake = std::function<void()>;

  explicit StreamDispatcher(size_t max = 4096) : max_(max) {}
  // REQUIRES: Stop.
  ~StreamDispatcher();
  StreamDispatcher(const StreamDispatcher&) = delete;
  StreamDispatcher& operator=(const StreamDispatcher&) = delete;

  void Start();
  // Ends all streams, and every stream that is opened later. Does not wait.
  void EndAll(const absl::Status& why);
  // Ends the streams that are open, so that their clients reconnect and are
  // authenticated again.
  void EndOpen(const absl::Status& why);
  // Ends the thread. REQUIRES: the servers of all streams are shut down, so
  // that no stream is woken any more.
  void Stop();

  // Owns the stream that `make` returns. The stream may call its Wake from any
  // thread until Advance() returned false. Null: too many streams are open.
  template <typename StreamType>
  StreamType* Open(
      const std::function<std::unique_ptr<StreamType>(Wake)>& make) {
    const uint64_t id = ReserveSlot();
    if (id == 0) return nullptr;
    std::unique_ptr<StreamType> stream = make([this, id] { WakeOne(id); });
    StreamType* const made = stream.get();
    Fill(id, std::move(stream));
    return made;
  }
  void WakeAll();
  size_t size();

 private:
  uint64_t ReserveSlot();  // 0: none is free
  void Fill(uint64_t id, std::unique_ptr<Stream> stream);
  void WakeOne(uint64_t id);
  // Advances the streams that were woken; returns the time until the next tick.
  absl::Duration ServeOnce();
  void AdvanceStreams(const std::vector<uint64_t>& ids);

  const size_t max_;
  absl::Mutex mutex_;
  // Only the dispatcher's thread erases. Null: a reserved slot.
  std::map<uint64_t, std::unique_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> woken_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status ending_ ABSL_GUARDED_BY(mutex_);
  // Why streams up to this id end.
  absl::Status ending_open_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_open_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time next_tick_;     // used by the thread only
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_
