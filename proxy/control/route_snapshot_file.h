// A file with the last known routes. A new process of the proxy starts with it
// and does not depend on the backend.
//
// 1. The file is replaced atomically, has mode 0600 and begins with a digest of
//    its content. A damaged file, or one that other users could have written,
//    is not used.
// 2. Updates are batched; writing takes 10 % of the time at most. A crash may
//    lose the last updates, which the backend sends again.
#ifndef CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_
#define CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "proxy/control/route_table.h"

namespace carme::proxy {

// Thread-safe. Writes on its own thread.
class RouteSnapshotFile {
 public:
  // `clock` must outlive it.
  RouteSnapshotFile(std::string path, absl::Duration stale_route_ttl,
                    const Clock& clock);
  // Writes pending updates unless Stop() was called.
  ~RouteSnapshotFile();

  // Loads the file as an update. `certificate` and `key`, in PEM, are the
  // client certificate for agents. NOT_FOUND; INVALID_ARGUMENT,
  // PERMISSION_DENIED: the file must not be used.
  absl::StatusOr<std::shared_ptr<const RouteUpdate>> Load(
      const std::string& certificate, const std::string& key);

  void Record(const RouteUpdate& update);
  // Writes pending updates. Returns the error of the last attempt.
  absl::Status Flush();
  // Stops writing, because another process owns the file now.
  void Stop();

 private:
  // Writes batches of updates; returns the time until the next call.
  absl::Duration WriteNext();
  // Writes pending updates unless Stop() was called.
  absl::Status WritePending();
  std::string Content() const;  // requires mutex_

  const std::string path_;
  const Clock& clock_;
  std::mutex writing_mutex_;  // held while the file is written
  bool stopped_ = false;      // guarded by writing_mutex_
  std::mutex mutex_;          // locked after writing_mutex_
  RouteTable table_;          // the next three: guarded by mutex_
  bool dirty_ = false;
  absl::Status written_;     // the result of the last attempt
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_SNAPSHOT_FILE_H_
