#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr double kKib = 1024;

// Of /proc/meminfo, in bytes.
std::map<std::string, double> ReadMeminfo(const std::string& root) {
  std::map<std::string, double> values;
  std::ifstream file(root + "/proc/meminfo");
  std::string name;
  std::string unit;
  for (double value = 0; file >> name >> value;) {
    std::getline(file, unit);
    values[name] = value * kKib;
  }
  return values;
}

std::optional<double> ReadCount(const std::filesystem::path& path) {
  std::ifstream file(path);
  double count = 0;
  if (file >> count) return count;
  return std::nullopt;
}

Outcome TooMuch(const std::string& subject, double found, double expected) {
  return Outcome::Failed(FormatMessage(
      evaluation_messages::kTooMuch,
      {{"subject", subject}, {"found", found}, {"expected", expected}}));
}

}  // namespace

Outcome EvaluateMemory(const Evaluation& evaluation, const std::string& root) {
  auto values = ReadMeminfo(root);
  if (!values.contains("MemTotal:") || !values.contains("MemAvailable:")) {
    return Outcome::Error(FormatMessage(evaluation_messages::kUnreadable,
                                        {{"path", "/proc/meminfo"}}));
  }
  struct Limit {
    const char* key;
    const char* subject;
    double found;
  };
  const Limit limits[] = {
      {"min_total", "memory", values["MemTotal:"]},
      {"min_available", "available memory", values["MemAvailable:"]}};
  Outcome outcome;
  for (const Limit& limit : limits) {
    const auto min = evaluation.parameters.Number(limit.key);
    if (!min.has_value() || limit.found >= *min) continue;
    outcome = Outcome::Failed(FormatMessage(
        evaluation_messages::kTooLittle, {{"subject", limit.subject},
                                          {"found", FormatBytes(limit.found)},
                                          {"expected", FormatBytes(*min)}}));
    break;
  }
  outcome.metrics = {{"total_bytes", values["MemTotal:"]},
                     {"available_bytes", values["MemAvailable:"]}};
  return outcome;
}

Outcome EvaluateEcc(const Evaluation& evaluation, const std::string& root) {
  const std::filesystem::path controllers =
      root + "/sys/devices/system/edac/mc";
  double corrected = 0;
  double uncorrected = 0;
  bool found = false;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(controllers, ignored)) {
    if (!absl::StartsWith(entry.path().filename().string(), "mc")) continue;
    const auto ce = ReadCount(entry.path() / "ce_count");
    const auto ue = ReadCount(entry.path() / "ue_count");
    if (!ce.has_value() || !ue.has_value()) continue;
    found = true;
    corrected += *ce;
    uncorrected += *ue;
  }
  if (!found) {
    const std::string reason = FormatMessage(evaluation_messages::kNoEdac);
    return evaluation.parameters.Bool("required", false)
               ? Outcome::Error(reason)
               : Outcome::Skipped(reason);
  }
  Outcome outcome;
  const auto max_corrected = evaluation.parameters.Number("max_corrected");
  const double max_uncorrected =
      evaluation.parameters.Number("max_uncorrected").value_or(0);
  if (uncorrected > max_uncorrected) {
    outcome = TooMuch("the number of uncorrected memory errors", uncorrected,
                      max_uncorrected);
  } else if (max_corrected.has_value() && corrected > *max_corrected) {
    outcome = TooMuch("the number of corrected memory errors", corrected,
                      *max_corrected);
  }
  outcome.metrics = {{"corrected", corrected}, {"uncorrected", uncorrected}};
  return outcome;
}

}  // namespace carme::vet
