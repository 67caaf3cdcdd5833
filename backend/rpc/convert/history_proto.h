// Converts the history's values to and from messages.
#ifndef CARME_BACKEND_RPC_CONVERT_HISTORY_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_HISTORY_PROTO_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "backend/history/history.h"
#include "backend/history/history_entry.h"
#include "carme/v1/history.pb.h"

namespace carme::backend {

// UNSPECIFIED: the caller's own jobs. History rejects unknown numbers.
Whose ScopeOf(v1::HistoryScope scope);
// INVALID_ARGUMENT: an unknown enum value.
absl::StatusOr<HistoryFilter> FilterOf(const v1::HistoryFilter& message);
// An empty token is the first page. INVALID_ARGUMENT: an invalid token.
absl::StatusOr<std::optional<HistoryPlace>> PlaceOf(const std::string& token);
std::string TokenOf(const std::optional<HistoryPlace>& place);

void Fill(const HistoryEntry& entry, v1::HistoryJob* message);
void Fill(const UsageSum& sum, v1::UsageRow* message);
void Fill(const History::Health& health, v1::Accounting* message);

// Keeps fractions of a second.
absl::Time TimeOf(const google::protobuf::Timestamp& message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_HISTORY_PROTO_H_
