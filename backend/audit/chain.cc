#include "backend/audit/chain.h"

#include "absl/strings/str_cat.h"
#include "backend/audit/messages.h"
#include "common/crypto/hash.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr char kVersion = 1;

void AppendBigEndian(uint64_t number, int bytes, std::string* out) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>((number >> shift) & 0xff));
  }
}

void Append(std::string_view field, std::string* out) {
  AppendBigEndian(field.size(), 4, out);
  out->append(field);
}

void Append(int64_t number, std::string* out) {
  AppendBigEndian(8, 4, out);
  AppendBigEndian(static_cast<uint64_t>(number), 8, out);
}

}  // namespace

std::string ChainStart() { return std::string(32, '\0'); }

std::string Canonical(const AuditEntry& entry) {
  std::string bytes(1, kVersion);
  Append(entry.sequence, &bytes);
  Append(entry.at, &bytes);
  Append(entry.act, &bytes);
  Append(entry.actor, &bytes);
  Append(entry.actor_uid, &bytes);
  Append(entry.subject, &bytes);
  Append(entry.decision, &bytes);
  Append(entry.result, &bytes);
  Append(entry.source, &bytes);
  Append(entry.machine, &bytes);
  Append(entry.request_id, &bytes);
  Append(entry.session_id, &bytes);
  return bytes;
}

std::string ChainHash(std::string_view before, const AuditEntry& entry) {
  return Sha256(absl::StrCat(std::string(before), Canonical(entry)));
}

absl::Status ChainCheck::Take(const AuditEntry& entry) {
  const int64_t expected = head_.sequence + 1;
  if (entry.sequence != expected) {
    return MakeError(audit_messages::kEntryOutOfOrder,
                     {{"found", entry.sequence},
                      {"previous", head_.sequence},
                      {"expected", expected}});
  }
  if (entry.hash != ChainHash(head_.hash, entry)) {
    return MakeError(audit_messages::kEntryChanged,
                     {{"sequence", entry.sequence}});
  }
  head_ = {entry.sequence, entry.hash};
  return absl::OkStatus();
}

}  // namespace carme::backend
