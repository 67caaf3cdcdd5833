#include "backend/health/health_monitor.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/log.h"

namespace carme::backend {
namespace {

google::protobuf::Timestamp TimestampAt(absl::Time time) {
  google::protobuf::Timestamp stamp;
  stamp.set_seconds(absl::ToUnixSeconds(time));
  return stamp;
}

// "HEALTH_STATE_DOWN": "down".
std::string ShortName(const std::string& name, const char* prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(name, prefix));
}

void LogChange(const v1::ComponentHealth& health) {
  const std::string component = ShortName(
      v1::HealthComponent_Name(health.component()), "HEALTH_COMPONENT_");
  const std::string state =
      ShortName(v1::HealthState_Name(health.state()), "HEALTH_STATE_");
  const LogLevel level = health.state() == v1::HEALTH_STATE_DOWN ||
                                 health.state() == v1::HEALTH_STATE_DEGRADED
                             ? LogLevel::kWarning
                             : LogLevel::kInfo;
  Log(level, "component's state changed",
      {{"component", component},
       {"name", health.name()},
       {"state", state},
       {"error", health.detail()}});
}

constexpr absl::Duration kFiguresPeriod = absl::Minutes(1);

void AppendState(const v1::ComponentHealth& health, std::string* states) {
  absl::StrAppend(states, health.component(), " ", health.state(), " ",
                  health.since().seconds(), " ", health.name(), "\n",
                  health.detail(), "\n");
  for (const v1::ComponentHealth& part : health.parts()) {
    AppendState(part, states);
  }
}

void AppendFigures(const v1::ComponentHealth& health, std::string* figures) {
  const std::map<std::string, int64_t> sorted(health.figures().begin(),
                                              health.figures().end());
  for (const auto& [name, figure] : sorted) {
    absl::StrAppend(figures, health.component(), name, "=", figure, "\n");
  }
  for (const v1::ComponentHealth& part : health.parts()) {
    AppendFigures(part, figures);
  }
}

}  // namespace

void HealthMonitor::Add(v1::HealthComponent component, Observe observe) {
  sources_.emplace_back(component, std::move(observe));
}

void HealthMonitor::Complete(const std::string& key, absl::Time now,
                             std::map<std::string, Known>* seen,
                             v1::ComponentHealth* health) const {
  const auto before = known_.find(key);
  const bool changed =
      before == known_.end() || before->second.state != health->state();
  const absl::Time since = changed ? now : before->second.since;
  (*seen)[key] = {health->state(), since};
  const bool is_state = health->state() != v1::HEALTH_STATE_UNKNOWN &&
                        health->state() != v1::HEALTH_STATE_DISABLED;
  if (!health->has_since() && is_state) {
    *health->mutable_since() = TimestampAt(since);
  }
  if (!health->has_observed_at() && is_state) {
    *health->mutable_observed_at() = TimestampAt(now);
  }
  // At the start, logs only components that are not OK.
  const bool is_news = before != known_.end() ||
                       health->state() == v1::HEALTH_STATE_DOWN ||
                       health->state() == v1::HEALTH_STATE_DEGRADED;
  if (changed && is_news) LogChange(*health);
}

void HealthMonitor::UpdateVersion(
    absl::Time now, const std::vector<v1::ComponentHealth>& report) {
  std::string states;
  std::string figures;
  for (const v1::ComponentHealth& health : report) {
    AppendState(health, &states);
    AppendFigures(health, &figures);
  }
  const bool has_state = states != states_;
  const bool has_figures =
      figures != figures_ && now >= version_set_at_ + kFiguresPeriod;
  if (version() != 0 && !has_state && !has_figures) return;
  states_ = std::move(states);
  figures_ = std::move(figures);
  version_set_at_ = now;
  // Those of another process, which started at another time, are others.
  version_ = version() == 0 ? static_cast<uint64_t>(absl::ToUnixMicros(now))
                            : version() + 1;
}

void HealthMonitor::Update() {
  const absl::Time now = clock_.Now();
  std::map<std::string, Known> seen;
  std::vector<v1::ComponentHealth> report;
  for (const auto& [component, observe] : sources_) {
    v1::ComponentHealth health = observe();
    health.set_component(component);
    const std::string key = absl::StrCat(component);
    Complete(key, now, &seen, &health);
    for (v1::ComponentHealth& part : *health.mutable_parts()) {
      part.set_component(component);
      Complete(absl::StrCat(key, "/", part.name()), now, &seen, &part);
    }
    report.push_back(std::move(health));
  }
  known_ = std::move(seen);
  absl::MutexLock lock(&mutex_);
  UpdateVersion(now, report);
  report_ = std::move(report);
  updated_at_ = now;
}

uint64_t HealthMonitor::version() const { return version_.load(); }

absl::Time HealthMonitor::updated_at() const {
  absl::MutexLock lock(&mutex_);
  return updated_at_;
}

std::vector<v1::ComponentHealth> HealthMonitor::Report() const {
  absl::MutexLock lock(&mutex_);
  return report_;
}

}  // namespace carme::backend
