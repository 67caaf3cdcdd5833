// The entries of the audit log: actor, operation, subject, source and result.
#ifndef CARME_BACKEND_AUDIT_AUDIT_ENTRY_H_
#define CARME_BACKEND_AUDIT_AUDIT_ENTRY_H_

#include <cstdint>
#include <limits>
#include <string>

#include "common/ids.h"

namespace carme::backend {

enum class AuditDecision { kAllow, kRefuse };

// An event as reported by its observer. Never contains secrets. Texts may
// contain untrusted input: the log sanitizes and truncates them.
struct AuditEvent {
  std::string act{};    // ours, a noun: "log-in", "submit", "reset-factors"
  std::string actor{};  // a username, or a machine's name; empty: not known
  Uid actor_uid{std::numeric_limits<uint32_t>::max()};  // none
  std::string subject{};  // the target: a job, a user; may be empty
  AuditDecision decision = AuditDecision::kRefuse;
  std::string result{};      // "ok", or why not
  std::string source{};      // client address as reported by the gateway
  std::string machine{};     // identity in the caller's certificate
  std::string request_id{};  // as in the log
  std::string session_id{};  // empty: none
};

// The act of the entry about an archive (archiving.h), the only one that is not
// written by the backend.
inline constexpr char kArchiveAct[] = "archive-audit";

// A row of the table, valid or not.
struct AuditEntry {
  int64_t sequence = 0;  // from 1, without a gap
  int64_t at = 0;        // microseconds since 1970, UTC
  std::string act{};
  std::string actor{};
  int64_t actor_uid = 0;
  std::string subject{};
  std::string decision{};  // "allow" or "refuse"
  std::string result{};
  std::string source{};
  std::string machine{};
  std::string request_id{};
  std::string session_id{};
  std::string hash{};  // see chain.h
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_ENTRY_H_
