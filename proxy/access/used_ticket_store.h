// Used tickets: a table shared by all loops, and by all proxy processes with
// the same state directory. A ticket works in one process only, during a hot
// restart and after a crash, too.
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

// A ticket that lives longer is refused, so a used one is kept no longer.
inline constexpr absl::Duration kMaxTicketLifetime = absl::Minutes(5);

// Thread-safe.
class UsedTicketStore {
 public:
  static constexpr size_t kIdBytes = 16;

  // A table in the memory of this process. Rejects tickets issued before
  // `since`, because it is unknown whether they were used.
  explicit UsedTicketStore(absl::Time since);
  // The table in the file at `path`, created (0600) if it does not exist. A
  // table from before the host's last boot is cleared and rejects older
  // tickets, because its last entries may be lost. Returns errors of the file.
  static absl::StatusOr<std::unique_ptr<UsedTicketStore>> Open(
      const std::string& path, absl::Time now);
  ~UsedTicketStore();
  UsedTicketStore(const UsedTicketStore&) = delete;
  UsedTicketStore& operator=(const UsedTicketStore&) = delete;

  // `id` must have kIdBytes. UNAUTHENTICATED: used before, or issued before
  // this table was created. RESOURCE_EXHAUSTED: too many tickets at once.
  absl::Status MarkUsed(std::string_view id, absl::Time issued,
                        absl::Time expires, absl::Time now);

 private:
  struct Table;
  UsedTicketStore(UniqueFd fd, Table* table)
      : fd_(std::move(fd)), table_(table) {}
  bool Lock();
  void Unlock();

  std::mutex mutex_;
  const UniqueFd fd_;   // invalid for a table in memory
  Table* const table_;  // guarded by mutex_ and the file's lock
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_USED_TICKET_STORE_H_
