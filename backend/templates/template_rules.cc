#include "backend/templates/template_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "backend/templates/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxNameBytes = 64;
constexpr size_t kLongestDescription = 500;
constexpr size_t kLongestImage = 200;
constexpr size_t kMaxTypes = 16;
constexpr size_t kMaxImages = 64;
constexpr absl::Duration kMaxWalltime = absl::Hours(24 * 365);
constexpr absl::Duration kLongestIdle = absl::Hours(24 * 30);
// An agent samples at least every 15 s (interval_s of agent.toml).
constexpr absl::Duration kShortestIdle = absl::Seconds(15);
// carme-metrics measures GPUs over 90 s.
constexpr absl::Duration kShortestGpuIdle = absl::Minutes(2);
constexpr absl::Duration kShortestGpuWarning = absl::Minutes(1);

absl::Status CheckText(const char* field, const std::string& text, size_t min,
                       size_t max) {
  const std::optional<size_t> length =
      IsUtf8(text) ? PrintableLength(text) : std::nullopt;
  if (length && *length >= min && *length <= max) return absl::OkStatus();
  return MakeError(template_messages::kInvalidText,
                   {{"field", field}, {"min", min}, {"max", max}});
}

// The impersonator's limit, too.
absl::Status CheckWord(const char* field, const std::string& word) {
  if (word.empty() || kSlurmNameRule.Allows(word)) return absl::OkStatus();
  return MakeError(template_messages::kInvalidSlurmName,
                   {{"field", field}, {"max", kSlurmNameRule.max_bytes}});
}

absl::Status CheckNumber(const char* field, int64_t number, int64_t max) {
  if (number >= 0 && number <= max) return absl::OkStatus();
  return MakeError(template_messages::kInvalidNumber,
                   {{"field", field}, {"max", max}});
}

absl::Status CheckTime(const char* field, absl::Duration time,
                       absl::Duration max) {
  if (time >= absl::ZeroDuration() && time <= max &&
      time % absl::Minutes(1) == absl::ZeroDuration()) {
    return absl::OkStatus();
  }
  return MakeError(template_messages::kInvalidTime,
                   {{"field", field}, {"max_hours", absl::ToInt64Hours(max)}});
}

// Or 0.
absl::Status CheckIdle(const char* field, absl::Duration time,
                       absl::Duration shortest = kShortestIdle) {
  const bool none = time == absl::ZeroDuration();
  const bool right = time >= shortest && time <= kLongestIdle &&
                     time % absl::Seconds(1) == absl::ZeroDuration();
  if (none || right) return absl::OkStatus();
  return MakeError(template_messages::kInvalidIdleTime,
                   {{"field", field},
                    {"min_seconds", absl::ToInt64Seconds(shortest)},
                    {"max_hours", absl::ToInt64Hours(kLongestIdle)}});
}

absl::Status CheckLists(const JobTemplate& settings) {
  if (settings.gpu_types.size() > kMaxTypes) {
    return MakeError(template_messages::kTooManyValues,
                     {{"field", "gpuTypes"}, {"max", kMaxTypes}});
  }
  for (const std::string& type : settings.gpu_types) {
    RETURN_IF_ERROR(CheckWord("gpuTypes", type));
    if (type.empty()) return MakeError(template_messages::kEmptyGpuType);
  }
  if (settings.no_gpus &&
      (!settings.gpu_types.empty() || settings.max_gpus_per_node > 0)) {
    return MakeError(template_messages::kGpusWithoutGpus);
  }
  if (settings.images.size() > kMaxImages) {
    return MakeError(template_messages::kTooManyValues,
                     {{"field", "images"}, {"max", kMaxImages}});
  }
  for (const std::string& image : settings.images) {
    RETURN_IF_ERROR(CheckText("images", image, 1, kLongestImage));
  }
  return absl::OkStatus();
}

absl::Status CheckGpuIdle(const GpuIdlePolicy& policy, bool no_gpus) {
  if (no_gpus) return MakeError(template_messages::kGpuIdleWithoutGpus);
  if (policy.threshold_percent < 1 || policy.threshold_percent > 100) {
    return MakeError(template_messages::kGpuIdleThreshold);
  }
  RETURN_IF_ERROR(
      CheckIdle("gpuIdle.warnAfter", policy.warn_after, kShortestGpuIdle));
  RETURN_IF_ERROR(CheckIdle("gpuIdle.actAfter", policy.act_after,
                            kShortestGpuIdle + kShortestGpuWarning));
  if (policy.warn_after == absl::ZeroDuration()) {
    return MakeError(template_messages::kGpuIdleWithoutWarning);
  }
  const bool acts = policy.act_after > absl::ZeroDuration();
  switch (policy.action) {
    case v1::GpuIdlePolicy::ACTION_WARN_ONLY:
      if (!acts) return absl::OkStatus();
      return MakeError(template_messages::kGpuIdleActsNever);
    case v1::GpuIdlePolicy::ACTION_STOP:
    case v1::GpuIdlePolicy::ACTION_SHRINK:
      if (policy.act_after >= policy.warn_after + kShortestGpuWarning) {
        return absl::OkStatus();
      }
      return MakeError(
          template_messages::kGpuIdleActsTooSoon,
          {{"min_seconds", absl::ToInt64Seconds(kShortestGpuWarning)}});
    default:
      return MakeError(template_messages::kGpuIdleAction);
  }
}

absl::Status CheckTimes(const JobTemplate& settings) {
  const absl::Duration max = settings.max_walltime;
  const absl::Duration extended = settings.max_extended_walltime;
  RETURN_IF_ERROR(CheckTime("maxWalltime", max, kMaxWalltime));
  RETURN_IF_ERROR(CheckTime("maxExtendedWalltime", extended, kMaxWalltime));
  const bool extends = extended > absl::ZeroDuration();
  if (extends && (max == absl::ZeroDuration() || extended < max)) {
    return MakeError(template_messages::kExtendedTooShort);
  }
  RETURN_IF_ERROR(CheckIdle("idleWarning", settings.idle_warning));
  RETURN_IF_ERROR(CheckIdle("idleStop", settings.idle_stop));
  if ((settings.idle_warning == absl::ZeroDuration()) !=
      (settings.idle_stop == absl::ZeroDuration())) {
    return MakeError(template_messages::kOneIdleTime);
  }
  if (!settings.gpu_idle) return absl::OkStatus();
  return CheckGpuIdle(*settings.gpu_idle, settings.no_gpus);
}

}  // namespace

absl::Status CheckTemplateSettings(const JobTemplate& settings) {
  RETURN_IF_ERROR(CheckText("name", settings.name, 1, kMaxNameBytes));
  if (settings.name.find_first_not_of(' ') == std::string::npos) {
    return MakeError(template_messages::kBlankName);
  }
  RETURN_IF_ERROR(CheckText(
      "description", absl::StrReplaceAll(settings.description, {{"\n", " "}}),
      0, kLongestDescription));
  for (const auto& [field, word] : {std::pair<const char*, const std::string&>{
                                        "partition", settings.partition},
                                    {"account", settings.account},
                                    {"qos", settings.qos},
                                    {"reservation", settings.reservation}}) {
    RETURN_IF_ERROR(CheckWord(field, word));
  }
  RETURN_IF_ERROR(
      CheckNumber("maxGpusPerNode", settings.max_gpus_per_node, 1024));
  RETURN_IF_ERROR(CheckNumber("maxNodes", settings.max_nodes, 100'000));
  RETURN_IF_ERROR(CheckNumber("maxJobs", settings.max_jobs, 100'000));
  RETURN_IF_ERROR(CheckNumber("cpusPerGpu", settings.cpus_per_gpu, 8192));
  RETURN_IF_ERROR(CheckNumber("memoryPerGpuMib", settings.memory_per_gpu_mib,
                              int64_t{1} << 26));
  RETURN_IF_ERROR(CheckLists(settings));
  return CheckTimes(settings);
}

}  // namespace carme::backend
