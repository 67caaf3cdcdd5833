#include "backend/standby/standby_monitoring.h"

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/metrics/metrics_writer.h"

namespace carme::backend {

std::string StandbyMonitoring::Metrics() const {
  MetricsWriter writer("carme_backend_");
  writer.Gauge("active", "Whether this backend is active: 0 for a standby.", 0);
  return writer.Take();
}

absl::Status StandbyMonitoring::Ready() const {
  const absl::MutexLock lock(&mutex_);
  return absl::UnavailableError(absl::StrCat(
      "standby: ", reason_.empty() ? "waiting for the lease" : reason_));
}

void StandbyMonitoring::SetWaitingFor(const absl::Status& reason) {
  const std::string text(reason.message());
  const absl::MutexLock lock(&mutex_);
  if (text == reason_) return;
  LogInfo("standby", {{"waits", text}});
  reason_ = text;
}

}  // namespace carme::backend
