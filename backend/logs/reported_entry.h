// An entry that a program reports, as a row of the service log.
#ifndef CARME_BACKEND_LOGS_REPORTED_ENTRY_H_
#define CARME_BACKEND_LOGS_REPORTED_ENTRY_H_

#include "backend/logs/log_table.h"
#include "carme/v1/log.pb.h"

namespace carme::backend {

// Without source, service and node, which the caller sets. The message of an
// entry that is late ends with its age.
LogRow LogRowOf(const v1::ReportedLogEntry& entry);

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_REPORTED_ENTRY_H_
