// Audit entries as the contract has them, for the rpcs and for JSON lines.
#ifndef CARME_BACKEND_AUDIT_AUDIT_PROTO_H_
#define CARME_BACKEND_AUDIT_AUDIT_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/audit_table.h"
#include "carme/v1/audit.pb.h"

namespace carme::backend {

// Texts are made harmless again: the table may have been changed.
void Fill(const AuditEntry& entry, v1::AuditEntry* proto);

// INVALID_ARGUMENT: it could let nothing through, or is too long.
absl::StatusOr<AuditFilter> FilterOf(const v1::AuditFilter& proto);

// One line without its end, as the rpcs' JSON has it.
std::string JsonLine(const AuditEntry& entry);
// The entry that JsonLine wrote. DATA_LOSS: the line is none.
absl::StatusOr<AuditEntry> EntryOfLine(const std::string& line);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_PROTO_H_
