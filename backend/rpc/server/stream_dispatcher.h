// One thread that feeds every open server stream, so that a thousand of them
// cost no thread each. Whatever happens to a stream (news, an end of a write, a
// hang-up) only wakes it here; all its work is done on the dispatcher's thread, and
// needs no lock of its own.
#ifndef CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_
#define CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme::backend {

// Thread-safe.
class StreamDispatcher {
 public:
  // How often every stream is advanced without being woken.
  static constexpr absl::Duration kTick = absl::Milliseconds(500);

  class Stream {
   public:
    virtual ~Stream() = default;
    // Does what can be done without blocking. `ending` is not OK when all
    // streams must end. False: it is over, and is deleted.
    virtual bool Advance(const absl::Status& ending) = 0;
  };
  using Wake = std::function<void()>;

  explicit StreamDispatcher(size_t most = 4096) : most_(most) {}
  // REQUIRES: Stop.
  ~StreamDispatcher();
  StreamDispatcher(const StreamDispatcher&) = delete;
  StreamDispatcher& operator=(const StreamDispatcher&) = delete;

  void Start();
  // Asks every stream to end, and those that come. Does not wait.
  void EndAll(const absl::Status& why);
  // Asks those that are open to end, so that their callers come again and are
  // asked anew who they are.
  void EndThose(const absl::Status& why);
  // Ends the thread. REQUIRES: no stream will be woken any more: its server is
  // shut down.
  void Stop();

  // Owns the stream that `make` returns; it may call the wake it is given from
  // any thread until Advance said false. Null: there are too many already.
  template <typename StreamType>
  StreamType* Open(
      const std::function<std::unique_ptr<StreamType>(Wake)>& make) {
    const uint64_t id = TakePlace();
    if (id == 0) return nullptr;
    std::unique_ptr<StreamType> stream = make([this, id] { WakeOne(id); });
    StreamType* const made = stream.get();
    Fill(id, std::move(stream));
    return made;
  }
  void WakeAll();
  size_t size();

 private:
  uint64_t TakePlace();  // 0: none is left
  void Fill(uint64_t id, std::unique_ptr<Stream> stream);
  void WakeOne(uint64_t id);
  void Run();
  void AdvanceThose(const std::vector<uint64_t>& ids);

  const size_t most_;
  absl::Mutex mutex_;
  // Only the dispatcher's thread erases. Null: a place that is being filled.
  std::map<uint64_t, std::unique_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> woken_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status ending_ ABSL_GUARDED_BY(mutex_);
  // Why streams up to this id end.
  absl::Status ending_those_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_of_those_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_STREAM_DISPATCHER_H_
