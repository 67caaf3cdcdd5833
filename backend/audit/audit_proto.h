// Conversion of audit entries to Protocol Buffers and JSON lines.
#ifndef CARME_BACKEND_AUDIT_AUDIT_PROTO_H_
#define CARME_BACKEND_AUDIT_AUDIT_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/audit_table.h"
#include "carme/v1/audit.pb.h"

namespace carme::backend {

// Sanitizes texts again: the table may have been modified.
void Fill(const AuditEntry& entry, v1::AuditEntry* proto);

// INVALID_ARGUMENT: the filter matches nothing or is too long.
absl::StatusOr<AuditFilter> FilterOf(const v1::AuditFilter& proto);

// One line without newline, with the JSON of the API.
std::string JsonLine(const AuditEntry& entry);
// Parses a line of JsonLine. DATA_LOSS: invalid.
absl::StatusOr<AuditEntry> EntryOfLine(const std::string& line);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_PROTO_H_
