// What the components do periodically, each on a thread of its own.
#ifndef CARME_BACKEND_WIRING_HOUSEKEEPING_H_
#define CARME_BACKEND_WIRING_HOUSEKEEPING_H_

#include <cstddef>

#include "backend/logs/service_log.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/rpc/announcements/notice_versions.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/job_management.h"
#include "backend/wiring/job_resources.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Returns free memory to the system after a peak. malloc keeps freed memory
// below the top of its heap, so that memory use would stay at its peak. One for
// the process. Not thread-safe.
class HeapTrim {
 public:
  // The minimum to free since the last trim, because a trim blocks all
  // allocations for some milliseconds.
  static constexpr size_t kWorthwhileBytes = size_t{16} << 20;

  // Call it every few seconds. True: memory was returned.
  bool Check();

 private:
  size_t peak_bytes_ = 0;  // in use, at any Check since the last trim
};

class Housekeeping {
 public:
  // All must outlive the object.
  struct Parts {
    Identity* identity;
    JobResources* resources;
    JobManagement* jobs;
    Notifications* notifications;
    NoticeVersions* notices;
    ServiceLog* logs;
    NodeRuleEnforcer* node_rules;
  };
  // Starts the threads. The destructor waits for running work.
  explicit Housekeeping(const Parts& parts);

 private:
  const Parts parts_;
  const BackgroundThread sessions_;
  const BackgroundThread recheck_;
  const BackgroundThread queued_rechecks_;
  const BackgroundThread jobs_;
  const BackgroundThread quotas_;
  const BackgroundThread history_;
  const BackgroundThread accounting_;
  const BackgroundThread utilization_;
  const BackgroundThread projects_;
  const BackgroundThread reservations_;
  const BackgroundThread maintenance_;
  const BackgroundThread image_copies_;
  const BackgroundThread resubmissions_;
  const BackgroundThread inbox_;
  const BackgroundThread notices_;
  const BackgroundThread logs_;
  const BackgroundThread node_rules_;
  const BackgroundThread heap_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_HOUSEKEEPING_H_
