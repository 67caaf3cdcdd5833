// A warning or error of this process as an entry of the service log.
#ifndef CARME_COMMON_SERVICE_LOG_LOG_ENTRY_H_
#define CARME_COMMON_SERVICE_LOG_LOG_ENTRY_H_

#include <string_view>

#include "carme/v1/log.pb.h"
#include "common/log.h"

namespace carme {

// Of the arguments of a LogObserver. Fields that an entry has stay in its
// message, too.
v1::ReportedLogEntry LogEntryOf(LogLevel level, std::string_view event,
                                LogFields fields);

}  // namespace carme

#endif  // CARME_COMMON_SERVICE_LOG_LOG_ENTRY_H_
