#include "backend/notifications/courier.h"

#include <optional>
#include <utility>

#include "common/log.h"

namespace carme::backend {
namespace {

// How often an empty outbox is looked into.
constexpr absl::Duration kPause = absl::Seconds(1);

}  // namespace

Courier::Courier(Parts parts) : parts_(std::move(parts)) {
  for (int i = 0; i < parts_.threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

Courier::~Courier() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

Courier::Problem Courier::last_problem() {
  absl::MutexLock lock(&mutex_);
  return problem_;
}

void Courier::Run() {
  while (true) {
    const absl::Duration pause = SendNext() ? absl::ZeroDuration() : kPause;
    absl::MutexLock lock(&mutex_);
    if (mutex_.AwaitWithTimeout(absl::Condition(&stop_), pause)) return;
  }
}

bool Courier::SendNext() {
  const absl::StatusOr<std::optional<Parcel>> parcel =
      parts_.outbox->Take(parts_.channel, parts_.per_hour);
  if (!parcel.ok()) {
    Note(parcel.status());
    return false;
  }
  if (!*parcel) return false;
  const absl::Status sent =
      (*parcel)->events.empty() ? absl::OkStatus() : parts_.send(**parcel);
  Note(sent);
  // Not recorded, it is sent again once its lease is over, as the same parcel.
  Note(parts_.outbox->Settle(**parcel, sent));
  return !absl::IsCancelled(sent);
}

void Courier::Note(const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status)) return;
  LogWarning("notification not sent",
             {{"channel", static_cast<int>(parts_.channel)},
              {"error", status.ToString()}});
  absl::MutexLock lock(&mutex_);
  problem_ = {std::string(status.message()), parts_.clock->Now()};
}

}  // namespace carme::backend
