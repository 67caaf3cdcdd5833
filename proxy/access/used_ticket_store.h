// Which tickets were used: a table that all loops share, and all processes of
// the proxy on the same state directory. So a ticket that is burned in one
// process is burned in the next one too, while it takes over or after a crash.
#ifndef CARME_PROXY_ACCESS_USED_TICKET_STORE_H_
#define CARME_PROXY_ACCESS_USED_TICKET_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::proxy {

// Thread-safe.
class UsedTicketStore {
 public:
  static constexpr size_t kIdBytes = 16;

  // In memory: of this process only. Tickets from before `since` are refused,
  // because nobody knows which of them were used.
  explicit UsedTicketStore(absl::Time since);
  // The table in the file at `path`, made (0600) when there is none. One of
  // before the host's start is emptied, because its last entries may not have
  // reached the disk, and refuses older tickets. The file's errors.
  static absl::StatusOr<std::unique_ptr<UsedTicketStore>> Open(
      const std::string& path, absl::Time now);
  ~UsedTicketStore();
  UsedTicketStore(const UsedTicketStore&) = delete;
  UsedTicketStore& operator=(const UsedTicketStore&) = delete;

  // REQUIRES: `id` has kIdBytes. UNAUTHENTICATED: burned already, or issued
  // before this table; RESOURCE_EXHAUSTED: too many at once.
  absl::Status MarkUsed(std::string_view id, absl::Time issued,
                        absl::Time expires, absl::Time now);

 private:
  struct Table;
  UsedTicketStore(UniqueFd fd, Table* table)
      : fd_(std::move(fd)), table_(table) {}
  bool Lock();
  void Unlock();

  std::mutex mutex_;
  const UniqueFd fd_;   // not valid: in memory
  Table* const table_;  // guarded by mutex_ and the file's lock
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_USED_TICKET_STORE_H_
