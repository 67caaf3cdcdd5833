// The state of the GPUs by NVML, which is loaded from the driver.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/unique_fd.h"
#include "slurm-hooks/gpu/nvml.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

struct ThrottleReason {
  uint64_t bit;
  const char* cause;
};
// Those of defects; a limit of power or an idle clock is none.
constexpr ThrottleReason kThrottleReasons[] = {
    {gpu::kNvmlHardwareSlowdown, "hardware slowdown"},
    {gpu::kNvmlSoftwareThermal, "too hot (software)"},
    {gpu::kNvmlHardwareThermal, "too hot (hardware)"},
    {gpu::kNvmlPowerBrake, "power supply"},
};

// What is wrong with one GPU, and its measurements.
class GpuCheck {
 public:
  GpuCheck(const gpu::Nvml& nvml, const Parameters& parameters, unsigned gpu,
           Outcome* outcome)
      : nvml_(nvml), parameters_(parameters), gpu_(gpu), outcome_(outcome) {}

  void Run() {
    gpu::NvmlDevice device = nullptr;
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
    if (result == gpu::kNvmlSuccess) return true;
    if (result != gpu::kNvmlNotSupported) {
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

  void CheckTemperature(gpu::NvmlDevice device) {
    unsigned celsius = 0;
    if (nvml_.temperature == nullptr ||
        !Ok(nvml_.temperature(device, gpu::kNvmlTemperatureOfGpu, &celsius))) {
      return;
    }
    // as in vetnode, a GPU at `max_temp` is too hot already
    auto max = parameters_.Number("max_temp");
    if (max.has_value()) *max -= 1;
    Limit("temperature_celsius", "the temperature in Celsius", celsius, max);
  }

  void CheckMemory(gpu::NvmlDevice device) {
    gpu::NvmlMemory memory{};
    if (nvml_.memory == nullptr || !Ok(nvml_.memory(device, &memory)) ||
        memory.total == 0) {
      return;
    }
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

  void CheckEcc(gpu::NvmlDevice device) {
    uint64_t errors = 0;
    if (nvml_.ecc == nullptr || !Ok(nvml_.ecc(device, gpu::kNvmlUncorrected,
                                              gpu::kNvmlSinceBoot, &errors))) {
      return;
    }
    Limit("ecc_uncorrected", "the number of uncorrected memory errors",
          static_cast<double>(errors),
          parameters_.Number("max_ecc_uncorrected").value_or(0));
  }

  void CheckRemappedRows(gpu::NvmlDevice device) {
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    if (nvml_.remapped_rows == nullptr ||
        !Ok(nvml_.remapped_rows(device, &corrected, &uncorrected, &pending,
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

  void CheckThrottling(gpu::NvmlDevice device) {
    uint64_t reasons = 0;
    if (nvml_.clock_reasons == nullptr ||
        !Ok(nvml_.clock_reasons(device, &reasons)) ||
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

  const gpu::Nvml& nvml_;
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
  const gpu::Nvml nvml;
  if (!nvml.library.is_loaded()) {
    return NoGpu(evaluation, std::string(nvml.library.status().message()));
  }
  if (!nvml.library.status().ok()) {
    return Outcome::Error(std::string(nvml.library.status().message()));
  }
  unsigned count = 0;
  const char* call = "nvmlInit";
  int result = nvml.init();
  if (result == gpu::kNvmlSuccess) {
    call = "nvmlDeviceGetCount";
    result = nvml.count(&count);
  }
  if (result != gpu::kNvmlSuccess) {
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
