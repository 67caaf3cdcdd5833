#include "backend/notifications/delivery/delivery_worker.h"

#include <optional>
#include <utility>

#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The poll interval of an empty outbox.
constexpr absl::Duration kPause = absl::Seconds(1);

}  // namespace

DeliveryWorker::DeliveryWorker(Parts parts) : parts_(std::move(parts)) {
  for (int i = 0; i < parts_.threads; ++i) {
    threads_.emplace_back("delivery", [this] {
      return SendNext() ? absl::ZeroDuration() : kPause;
    });
  }
}

DeliveryWorker::~DeliveryWorker() {
  // Stops all threads before the first join, so that no other thread starts to
  // send.
  for (BackgroundThread& thread : threads_) thread.RequestStop();
}

DeliveryWorker::Problem DeliveryWorker::last_problem() {
  absl::MutexLock lock(&mutex_);
  return problem_;
}

bool DeliveryWorker::SendNext() {
  const absl::StatusOr<std::optional<OutboundMessage>> message =
      parts_.outbox->TakeDue(parts_.channel, parts_.per_hour);
  if (!message.ok()) {
    RecordProblem(message.status());
    return false;
  }
  if (!*message) return false;
  const absl::Status sent =
      (*message)->events.empty() ? absl::OkStatus() : parts_.send(**message);
  RecordProblem(sent);
  // If this fails, the same message is sent again after its lease.
  RecordProblem(parts_.outbox->RecordResult(**message, sent));
  return !absl::IsCancelled(sent);
}

void DeliveryWorker::RecordProblem(const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status)) return;
  LogWarning("notification not sent",
             {{"channel", static_cast<int>(parts_.channel)},
              {"error", StatusText(status)}});
  absl::MutexLock lock(&mutex_);
  problem_ = {std::string(status.message()), parts_.clock->Now()};
}

}  // namespace carme::backend
