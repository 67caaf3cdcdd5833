// What the audit log keeps: who did what to whom, from where, and what came of
// it.
#ifndef CARME_BACKEND_AUDIT_AUDIT_ENTRY_H_
#define CARME_BACKEND_AUDIT_AUDIT_ENTRY_H_

#include <cstdint>
#include <limits>
#include <string>

#include "common/ids.h"

namespace carme::backend {

enum class AuditDecision { kAllow, kRefuse };

// What happened, as its observer tells it. Never a secret. Texts may hold
// anything that a stranger sent: the log makes them harmless, and cuts them.
struct AuditEvent {
  std::string act{};    // ours, a noun: "log-in", "submit", "reset-factors"
  std::string actor{};  // a username, or a machine's name; empty: not known
  Uid actor_uid{std::numeric_limits<uint32_t>::max()};  // none
  std::string subject{};  // what it was done to: a job, a user; may be ""
  AuditDecision decision = AuditDecision::kRefuse;
  std::string result{};      // "ok", or why not
  std::string source{};      // the client's address as the gateway gave it
  std::string machine{};     // whose certificate the call came with
  std::string request_id{};  // as in the log
  std::string session_id{};  // empty: none
};

// The act of the entry that tells of an archive (archiving.h): the one act that
// another program than the backend writes.
inline constexpr char kArchiveAct[] = "archive-audit";

// A row of the table as it stands there, whether it makes sense or not.
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
