// The chain of the audit log: each entry's hash covers the hash before it, so
// nobody can change, remove, insert or reorder entries without computing all
// later hashes anew, which whoever noted one of them elsewhere will see.
#ifndef CARME_BACKEND_AUDIT_CHAIN_H_
#define CARME_BACKEND_AUDIT_CHAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "backend/audit/audit_entry.h"

namespace carme::backend {

// Stands where the first entry's predecessor would: 32 zero bytes.
std::string ChainStart();

// The bytes that are hashed: one of version, then every field but the hash in
// the order of AuditEntry, each with its length before it (4 bytes, big
// endian); numbers as 8 bytes, big endian. Two entries that differ in anything
// differ here.
std::string Canonical(const AuditEntry& entry);

// SHA-256 over `before` and the canonical form.
std::string ChainHash(std::string_view before, const AuditEntry& entry);

// The newest entry's place and hash.
struct ChainHead {
  int64_t sequence = 0;
  std::string hash = ChainStart();
  bool operator==(const ChainHead&) const = default;
};

// Checks entries as they come, oldest first, in constant memory.
class ChainCheck {
 public:
  // The first entry comes after `begin`.
  explicit ChainCheck(ChainHead begin = {}) : head_(std::move(begin)) {}
  // DATA_LOSS: this entry is not the next one, or its hash does not fit; says
  // which and why. The check ends there.
  absl::Status Take(const AuditEntry& entry);
  // Of the last entry that was good, or where it began.
  const ChainHead& head() const { return head_; }

 private:
  ChainHead head_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_CHAIN_H_
