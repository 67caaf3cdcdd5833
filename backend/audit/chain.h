// The hash chain of the audit log: the hash of each entry covers the previous
// hash. Changing, removing, inserting or reordering entries requires
// recomputing all later hashes, which a hash stored elsewhere reveals.
#ifndef CARME_BACKEND_AUDIT_CHAIN_H_
#define CARME_BACKEND_AUDIT_CHAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "backend/audit/audit_entry.h"

namespace carme::backend {

// The hash before the first entry: 32 zero bytes.
std::string ChainStart();

// The hashed bytes: one version byte, then every field except the hash in the
// order of AuditEntry, each preceded by its length (4 bytes, big endian);
// numbers as 8 bytes, big endian. Different entries have different bytes.
std::string Canonical(const AuditEntry& entry);

// SHA-256 over `before` and the canonical form.
std::string ChainHash(std::string_view before, const AuditEntry& entry);

// Sequence number and hash of the newest entry.
struct ChainHead {
  int64_t sequence = 0;
  std::string hash = ChainStart();
  bool operator==(const ChainHead&) const = default;
};

// Checks entries in order, oldest first, in constant memory.
class ChainCheck {
 public:
  // The first entry follows `begin`.
  explicit ChainCheck(ChainHead begin = {}) : head_(std::move(begin)) {}
  // DATA_LOSS, with details: the entry is not the next one, or its hash does
  // not match. The check ends then.
  absl::Status Take(const AuditEntry& entry);
  // The last valid entry, or the beginning.
  const ChainHead& head() const { return head_; }

 private:
  ChainHead head_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_CHAIN_H_
