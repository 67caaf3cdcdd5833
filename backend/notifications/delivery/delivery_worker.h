// Sends the messages of the outbox on background threads.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_DELIVERY_WORKER_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_DELIVERY_WORKER_H_

#include <deque>
#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/notifications/outbox.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

class DeliveryWorker {
 public:
  // Called by several threads; the codes of Outbox::RecordResult.
  using Send = std::function<absl::Status(const OutboundMessage&)>;
  struct Parts {
    Outbox* outbox;
    const Clock* clock;
    Channel channel{};
    int per_hour = 0;
    int threads = 1;
    Send send;
  };
  // The pointers must outlive the object.
  explicit DeliveryWorker(Parts parts);
  // Waits for running calls of Send: the owner must make them return first.
  ~DeliveryWorker();
  DeliveryWorker(const DeliveryWorker&) = delete;
  DeliveryWorker& operator=(const DeliveryWorker&) = delete;

  struct Problem {
    std::string text;  // empty: none
    absl::Time at;
  };
  Problem last_problem();  // since the program started

 private:
  // Whether a message was sent.
  bool SendNext();
  void RecordProblem(const absl::Status& status);

  const Parts parts_;
  absl::Mutex mutex_;
  Problem problem_ ABSL_GUARDED_BY(mutex_);
  std::deque<BackgroundThread> threads_;  // last: they use the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_DELIVERY_WORKER_H_
