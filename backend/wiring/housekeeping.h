// What the components do periodically, each on a thread of its own.
#ifndef CARME_BACKEND_WIRING_HOUSEKEEPING_H_
#define CARME_BACKEND_WIRING_HOUSEKEEPING_H_

#include "backend/notifications/delivery/notifications.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/job_management.h"
#include "backend/wiring/job_resources.h"
#include "common/concurrency/background_thread.h"
#include "common/heap_trim.h"

namespace carme::backend {

class Housekeeping {
 public:
  // All must outlive the object.
  struct Parts {
    Identity* identity;
    JobResources* resources;
    JobManagement* jobs;
    Notifications* notifications;
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
  const BackgroundThread inbox_;
  const BackgroundThread heap_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_HOUSEKEEPING_H_
