// The messages of backend/logs.
#ifndef CARME_BACKEND_LOGS_MESSAGES_H_
#define CARME_BACKEND_LOGS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::logs_messages {

inline constexpr MessageTemplate kEntriesDropped{
    "{count} entries of this source were dropped: it exceeded its limit"};

inline constexpr MessageTemplate kReportedLate{
    "{seconds} s before this time: {message}"};

}  // namespace carme::backend::logs_messages

#endif  // CARME_BACKEND_LOGS_MESSAGES_H_
