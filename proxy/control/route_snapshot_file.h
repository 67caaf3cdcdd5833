// What the backend has said, in a file: the next process of the proxy begins
// with it, and nobody waits for a backend that is away.
//
// 1. It is replaced in one step, 0600, and begins with a digest of the rest. A
//    file that is damaged, or that others could have written, is not used.
// 2. News are gathered, and writing takes a tenth of the time at most. So a
//    crash may lose what came last: the backend says it again.
#ifndef CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_
#define CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "proxy/control/route_table.h"

namespace carme::proxy {

// Thread-safe; a thread of its own writes.
class RouteSnapshotFile {
 public:
  // `clock` outlives it.
  RouteSnapshotFile(std::string path, absl::Duration stale_route_ttl,
                    const Clock& clock);
  // Writes what is not written yet, unless it has stopped.
  ~RouteSnapshotFile();

  // What an earlier process has left there, as an update that it remembers
  // itself. `certificate` and `key`, in PEM, are shown to the agents.
  // NOT_FOUND; INVALID_ARGUMENT, PERMISSION_DENIED: a file that is not used.
  absl::StatusOr<std::shared_ptr<const RouteUpdate>> Load(
      const std::string& certificate, const std::string& key);

  void Record(const RouteUpdate& update);
  // Writes what is not written yet; the error of the last attempt.
  absl::Status Flush();
  // Nothing is written from now on: the file is another process's.
  void Stop();

 private:
  void Loop();
  absl::Status Write(const std::string& content) const;
  std::string Content() const;  // REQUIRES: mutex_ is held

  const std::string path_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RouteTable table_;  // these six guarded by mutex_
  bool dirty_ = false;
  bool writing_ = false;
  bool stopping_ = false;
  bool flushing_ = false;
  absl::Status written_;
  std::thread thread_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_
