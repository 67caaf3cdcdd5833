#include "slurm-hooks/gpu/deadline_source.h"

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/status.h"
#include "slurm-hooks/gpu/messages.h"

namespace carme::gpu {
namespace {

absl::Status Hangs(absl::Duration timeout) {
  return MakePlainError(gpu_messages::kDriverHangs,
                        {{"timeout", absl::FormatDuration(timeout)}});
}

}  // namespace

// Both threads own it: whichever ends last frees it.
struct DeadlineSource::Shared {
  absl::Mutex mutex;
  std::optional<absl::Status> opened ABSL_GUARDED_BY(mutex);
  GpuSourceInfo info ABSL_GUARDED_BY(mutex);
  std::vector<GpuDevice> devices ABSL_GUARDED_BY(mutex);
  std::optional<int> wanted ABSL_GUARDED_BY(mutex);
  std::optional<absl::StatusOr<GpuSample>> result ABSL_GUARDED_BY(mutex);
  bool stop ABSL_GUARDED_BY(mutex) = false;
  bool ended ABSL_GUARDED_BY(mutex) = false;

  void Run(const GpuSourceFactory& open) {
    std::unique_ptr<GpuSource> source;
    if (auto opening = open(); opening.ok()) {
      source = *std::move(opening);
      GpuSourceInfo read_info = source->Info();
      std::vector<GpuDevice> read_devices = source->Devices();
      const absl::MutexLock lock(&mutex);
      info = std::move(read_info);
      devices = std::move(read_devices);
      opened = absl::OkStatus();
    } else {
      const absl::MutexLock lock(&mutex);
      opened = opening.status();
    }
    while (source != nullptr) {
      int index = 0;
      {
        const absl::MutexLock lock(&mutex);
        mutex.Await(absl::Condition(
            +[](Shared* shared) ABSL_NO_THREAD_SAFETY_ANALYSIS {
              return shared->stop || shared->wanted.has_value();
            },
            this));
        if (stop) break;
        index = *std::exchange(wanted, std::nullopt);
      }
      auto sample = source->Sample(index);
      const absl::MutexLock lock(&mutex);
      result = std::move(sample);
    }
    source.reset();
    const absl::MutexLock lock(&mutex);
    ended = true;
  }
};

std::unique_ptr<DeadlineSource> DeadlineSource::Start(
    GpuSourceFactory open, absl::Duration sample_timeout) {
  auto shared = std::make_shared<Shared>();
  std::thread([shared, open = std::move(open)] { shared->Run(open); }).detach();
  return std::unique_ptr<DeadlineSource>(
      new DeadlineSource(std::move(shared), sample_timeout));
}

absl::StatusOr<std::unique_ptr<DeadlineSource>> DeadlineSource::Open(
    GpuSourceFactory open, absl::Duration open_timeout,
    absl::Duration sample_timeout) {
  auto source = Start(std::move(open), sample_timeout);
  const auto opened = source->WaitUntilOpen(open_timeout);
  if (!opened) return Hangs(open_timeout);
  RETURN_IF_ERROR(*opened);
  return source;
}

std::optional<absl::Status> DeadlineSource::WaitUntilOpen(
    absl::Duration timeout) {
  const absl::MutexLock lock(&shared_->mutex);
  if (!shared_->mutex.AwaitWithTimeout(
          absl::Condition(
              +[](Shared* s) ABSL_NO_THREAD_SAFETY_ANALYSIS {
                return s->opened.has_value();
              },
              shared_.get()),
          timeout)) {
    return std::nullopt;
  }
  if (!shared_->opened->ok()) return shared_->opened;
  info_ = shared_->info;
  devices_ = shared_->devices;
  is_dead_ = false;
  return absl::OkStatus();
}

DeadlineSource::DeadlineSource(std::shared_ptr<Shared> shared,
                               absl::Duration timeout)
    : shared_(std::move(shared)), timeout_(timeout) {}

DeadlineSource::~DeadlineSource() {
  const absl::MutexLock lock(&shared_->mutex);
  shared_->stop = true;
  if (is_dead_) return;
  shared_->mutex.AwaitWithTimeout(absl::Condition(&shared_->ended), timeout_);
}

absl::StatusOr<GpuSample> DeadlineSource::Sample(int index) {
  if (is_dead_) return Hangs(timeout_);
  const absl::MutexLock lock(&shared_->mutex);
  shared_->result.reset();
  shared_->wanted = index;
  if (!shared_->mutex.AwaitWithTimeout(
          absl::Condition(
              +[](Shared* s) ABSL_NO_THREAD_SAFETY_ANALYSIS {
                return s->result.has_value();
              },
              shared_.get()),
          timeout_)) {
    is_dead_ = true;
    shared_->stop = true;
    return Hangs(timeout_);
  }
  return *std::exchange(shared_->result, std::nullopt);
}

}  // namespace carme::gpu
