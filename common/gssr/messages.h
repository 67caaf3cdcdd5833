// What the database of a recording reports.
#ifndef CARME_COMMON_GSSR_MESSAGES_H_
#define CARME_COMMON_GSSR_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::gssr_messages {

inline constexpr ErrorTemplate kSqlite{absl::StatusCode::kInternal,
                                       "GSSR_SQLITE", "SQLite: {error}"};

}  // namespace carme::gssr_messages

#endif  // CARME_COMMON_GSSR_MESSAGES_H_
