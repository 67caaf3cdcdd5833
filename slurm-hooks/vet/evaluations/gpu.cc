// The state of the GPUs by NVML, which is loaded from the driver.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/evaluations/dynamic_library.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

// The interface of libnvidia-ml.so.1 as far as it is used here.
using Device = void*;
struct MemoryInfo {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kTemperatureOfGpu = 0;
constexpr int kUncorrected = 1;
constexpr int kSinceBoot = 0;  // NVML_VOLATILE_ECC

struct ThrottleReason {
  unsigned long long bit;
  const char* cause;
};
// Those of defects; a limit of power or an idle clock is none.
constexpr ThrottleReason kThrottleReasons[] = {
    {0x08, "hardware slowdown"},
    {0x20, "too hot (software)"},
    {0x40, "too hot (hardware)"},
    {0x80, "power supply"},
};

struct Nvml {
  DynamicLibrary library{"libnvidia-ml.so.1"};
  int (*init)() = library.Find<int()>("nvmlInit_v2");
  const char* (*error_string)(int) =
      library.Find<const char*(int)>("nvmlErrorString");
  int (*count)(unsigned*) =
      library.Find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  int (*device)(unsigned, Device*) =
      library.Find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
  int (*temperature)(Device, int, unsigned*) =
      library.Find<int(Device, int, unsigned*)>("nvmlDeviceGetTemperature");
  int (*memory)(Device, MemoryInfo*) =
      library.Find<int(Device, MemoryInfo*)>("nvmlDeviceGetMemoryInfo");
  int (*ecc)(Device, int, int, unsigned long long*) =
      library.FindOptional<int(Device, int, int, unsigned long long*)>(
          "nvmlDeviceGetTotalEccErrors");
  int (*remapped)(Device, unsigned*, unsigned*, unsigned*, unsigned*) =
      library.FindOptional<int(Device, unsigned*, unsigned*, unsigned*,
                               unsigned*)>("nvmlDeviceGetRemappedRows");
  int (*throttle)(Device, unsigned long long*) =
      library.FindOptional<int(Device, unsigned long long*)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
};

// What is wrong with one GPU, and its measurements.
class GpuCheck {
 public:
  GpuCheck(const Nvml& nvml, const Parameters& parameters, unsigned gpu,
           Outcome* outcome)
      : nvml_(nvml), parameters_(parameters), gpu_(gpu), outcome_(outcome) {}

  void Run() {
    Device device = nullptr;
    if (!Ok(nvml_.device(gpu_, &device))) return;
    CheckTemperature(device);
    CheckMemory(device);
    CheckEcc(device);
    CheckRemappedRows(device);
    CheckThrottling(device);
  }

  const Texts& problems() const { return problems_; }

 private:
  // A value that this GPU does not have is absent; any other error is a defect.
  bool Ok(int result) {
    if (result == kSuccess) return true;
    if (result != kNotSupported) {
      problems_.push_back(FormatMessage(
          evaluation_messages::kGpuLost,
          {{"gpu", gpu_}, {"cause", nvml_.error_string(result)}}));
    }
    return false;
  }

  void Limit(const char* metric, const char* subject, double found,
             std::optional<double> max) {
    outcome_->metrics[absl::StrCat("gpu", gpu_, "_", metric)] = found;
    if (!max.has_value() || found <= *max) return;
    problems_.push_back(
        FormatMessage(evaluation_messages::kGpuTooMuch, {{"gpu", gpu_},
                                                         {"subject", subject},
                                                         {"found", found},
                                                         {"expected", *max}}));
  }

  void CheckTemperature(Device device) {
    unsigned celsius = 0;
    if (!Ok(nvml_.temperature(device, kTemperatureOfGpu, &celsius))) return;
    // as in vetnode, a GPU at `max_temp` is too hot already
    auto max = parameters_.Number("max_temp");
    if (max.has_value()) *max -= 1;
    Limit("temperature_celsius", "the temperature in Celsius", celsius, max);
  }

  void CheckMemory(Device device) {
    MemoryInfo memory;
    if (!Ok(nvml_.memory(device, &memory)) || memory.total == 0) return;
    const auto used = static_cast<double>(memory.used);
    const double ratio = used / static_cast<double>(memory.total);
    const auto max = parameters_.Number("max_used_memory");
    // vetnode's first version had MiB there
    if (max.has_value() && *max > 1) {
      Limit("used_memory_mib", "the used memory in MiB", used / (1 << 20), max);
    } else {
      Limit("used_memory_ratio", "the share of used memory", ratio, max);
    }
  }

  void CheckEcc(Device device) {
    unsigned long long errors = 0;
    if (nvml_.ecc == nullptr ||
        !Ok(nvml_.ecc(device, kUncorrected, kSinceBoot, &errors))) {
      return;
    }
    Limit("ecc_uncorrected", "the number of uncorrected memory errors",
          static_cast<double>(errors),
          parameters_.Number("max_ecc_uncorrected").value_or(0));
  }

  void CheckRemappedRows(Device device) {
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    if (nvml_.remapped == nullptr ||
        !Ok(nvml_.remapped(device, &corrected, &uncorrected, &pending,
                           &failed))) {
      return;
    }
    Limit("remapped_rows", "the number of remapped rows of memory",
          corrected + uncorrected, parameters_.Number("max_remapped_rows"));
    if (pending != 0) {
      problems_.push_back(FormatMessage(evaluation_messages::kGpuRemapPending,
                                        {{"gpu", gpu_}}));
    }
    if (failed != 0) {
      problems_.push_back(
          FormatMessage(evaluation_messages::kGpuRemapFailed, {{"gpu", gpu_}}));
    }
  }

  void CheckThrottling(Device device) {
    unsigned long long reasons = 0;
    if (nvml_.throttle == nullptr || !Ok(nvml_.throttle(device, &reasons)) ||
        !parameters_.Bool("throttling", true)) {
      return;
    }
    for (const ThrottleReason& reason : kThrottleReasons) {
      if ((reasons & reason.bit) == 0) continue;
      problems_.push_back(
          FormatMessage(evaluation_messages::kGpuThrottled,
                        {{"gpu", gpu_}, {"cause", reason.cause}}));
    }
  }

  const Nvml& nvml_;
  const Parameters& parameters_;
  const unsigned gpu_;
  Outcome* const outcome_;
  Texts problems_;
};

// The kernel's messages about errors of GPUs since the start of the node;
// nullopt: this user may not read them.
std::optional<int> CountXid() {
  const UniqueFd fd(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  int count = 0;
  char record[8192];
  ssize_t got = 0;
  // EPIPE: records were overwritten; the next read continues behind them
  while ((got = read(fd.get(), record, sizeof record)) > 0 || errno == EPIPE) {
    if (got <= 0) continue;
    const std::string_view text(record, static_cast<size_t>(got));
    if (text.find("NVRM: Xid") != std::string_view::npos) ++count;
  }
  return count;
}

Outcome NoGpu(const Evaluation& evaluation, const std::string& reason) {
  const bool is_required =
      evaluation.parameters.Bool("required", false) ||
      evaluation.parameters.Number("count").value_or(0) > 0;
  return is_required ? Outcome::Failed(reason) : Outcome::Skipped(reason);
}

}  // namespace

Outcome EvaluateGpu(const Evaluation& evaluation) {
  const Parameters& parameters = evaluation.parameters;
  Nvml nvml;
  if (!nvml.library.is_loaded()) {
    return NoGpu(evaluation, nvml.library.problem());
  }
  if (!nvml.library.problem().empty()) {
    return Outcome::Error(nvml.library.problem());
  }
  unsigned count = 0;
  const char* call = "nvmlInit";
  int result = nvml.init();
  if (result == kSuccess) {
    call = "nvmlDeviceGetCount";
    result = nvml.count(&count);
  }
  if (result != kSuccess) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kGpuCall,
                      {{"call", call}, {"cause", nvml.error_string(result)}}));
  }
  if (count == 0) {
    return NoGpu(evaluation, FormatMessage(evaluation_messages::kNoGpu));
  }
  Outcome outcome;
  outcome.metrics["gpus"] = count;
  Texts problems;
  const auto expected = parameters.Number("count");
  if (expected.has_value() && *expected != count) {
    problems.push_back(FormatMessage(evaluation_messages::kNotEqual,
                                     {{"subject", "the number of GPUs"},
                                      {"found", count},
                                      {"expected", *expected}}));
  }
  for (unsigned gpu = 0; gpu < count; ++gpu) {
    GpuCheck check(nvml, parameters, gpu, &outcome);
    check.Run();
    problems.insert(problems.end(), check.problems().begin(),
                    check.problems().end());
  }
  const auto xids = CountXid();
  if (xids.has_value()) outcome.metrics["xid_events"] = *xids;
  const auto max_xid = parameters.Number("max_xid");
  if (max_xid.has_value() && !xids.has_value()) {
    return Outcome::Error(FormatMessage(evaluation_messages::kUnreadable,
                                        {{"path", "/dev/kmsg"}}));
  }
  if (max_xid.has_value() && *xids > *max_xid) {
    problems.push_back(FormatMessage(evaluation_messages::kTooMuch,
                                     {{"subject", "the number of Xid events"},
                                      {"found", *xids},
                                      {"expected", *max_xid}}));
  }
  if (!problems.empty()) {
    outcome.kind = Outcome::Kind::kFailed;
    outcome.reason = absl::StrJoin(problems, "; ");
  }
  return outcome;
}

}  // namespace carme::vet
