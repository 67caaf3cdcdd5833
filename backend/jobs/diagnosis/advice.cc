#include "backend/jobs/diagnosis/advice.h"

#include <algorithm>
#include <cstdint>

#include "backend/jobs/diagnosis/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

struct Sign {
  std::string_view pattern;  // in the job's log
  const TextTemplate& advice;
};

// The first match counts: specific ones come first.
constexpr Sign kSigns[] = {
    {"CUDA out of memory", job_diagnosis_messages::kAdviceGpuMemoryFull},
    {"CUDA_ERROR_OUT_OF_MEMORY", job_diagnosis_messages::kAdviceGpuMemoryFull},
    {"no kernel image is available for execution on the device",
     job_diagnosis_messages::kAdviceOtherGpuType},
    {"CUDA driver version is insufficient",
     job_diagnosis_messages::kAdviceOldDriver},
    {"No CUDA GPUs are available", job_diagnosis_messages::kAdviceNoGpu},
    {"no CUDA-capable device is detected",
     job_diagnosis_messages::kAdviceNoGpu},
    {"insufficient shared memory",
     job_diagnosis_messages::kAdviceSharedMemoryFull},
    {"copy the image to the job's own disk space",
     job_diagnosis_messages::kAdviceImageTooLarge},
    {"No space left on device", job_diagnosis_messages::kAdviceFileSystemFull},
    {"Disk quota exceeded", job_diagnosis_messages::kAdviceQuotaExceeded},
    {"std::bad_alloc", job_diagnosis_messages::kAdviceNotAllocated},
    {"MemoryError", job_diagnosis_messages::kAdviceNotAllocated},
    {"Cannot allocate memory", job_diagnosis_messages::kAdviceNotAllocated},
    {"command not found", job_diagnosis_messages::kAdviceCommandNotFound},
    {"Too many open files", job_diagnosis_messages::kAdviceTooManyFiles},
    {"Permission denied", job_diagnosis_messages::kAdvicePermissionDenied},
    {"No such file or directory", job_diagnosis_messages::kAdviceFileNotFound},
};

// The name in "No module named 'torch'"; empty: not found.
std::string MissingModule(std::string_view text) {
  constexpr std::string_view kPrefix = "No module named '";
  const size_t found = text.rfind(kPrefix);
  if (found == std::string_view::npos) return "";
  std::string_view name = text.substr(found + kPrefix.size());
  name = name.substr(0, name.find_first_of("'\n"));
  const bool plain =
      !name.empty() && name.size() <= 64 &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
      });
  return plain ? std::string(name) : "";
}

DisplayText MoreMemory(const Job& job) {
  const int64_t mib = job.spec.memory_per_node_mib;
  if (mib <= 0) return MakeText(job_diagnosis_messages::kAdviceMoreMemory);
  return MakeText(job_diagnosis_messages::kAdviceMoreMemoryThan,
                  {{"memory_gib", (2 * mib + 1023) / 1024}});
}

DisplayText AdviceForText(std::string_view text) {
  const std::string module = MissingModule(text);
  if (!module.empty()) {
    return MakeText(job_diagnosis_messages::kAdviceNoModule,
                    {{"module", module}});
  }
  for (const Sign& sign : kSigns) {
    if (text.find(sign.pattern) != std::string_view::npos) {
      return MakeText(sign.advice);
    }
  }
  return "";
}

DisplayText OfItsCode(int exit_code) {
  switch (exit_code) {
    case 126:
      return MakeText(job_diagnosis_messages::kAdviceNotExecutable);
    case 127:
      return MakeText(job_diagnosis_messages::kAdviceCommandNotFound);
    case 128 + 9:
      return MakeText(job_diagnosis_messages::kAdviceKilled);
    case 128 + 6:
    case 128 + 7:
    case 128 + 8:
    case 128 + 11:
      return MakeText(job_diagnosis_messages::kAdviceCrashed);
    default:
      return "";
  }
}

}  // namespace

DisplayText AdviceFor(const Job& job, std::string_view last_lines) {
  switch (job.end) {
    case v1::JOB_END_OUT_OF_MEMORY:
      return MoreMemory(job);
    case v1::JOB_END_TIME_LIMIT:
      return MakeText(job_diagnosis_messages::kAdviceLongerWalltime);
    case v1::JOB_END_NODE_FAIL:
      return MakeText(job_diagnosis_messages::kAdviceStartAgain);
    case v1::JOB_END_FAILED:
      break;
    default:
      return "";
  }
  DisplayText advice = AdviceForText(last_lines);
  // The agent's reason may have the cause if the log could not be written.
  if (advice.empty()) advice = AdviceForText(job.reason.text);
  return advice.empty() ? OfItsCode(job.exit_code) : advice;
}

}  // namespace carme::backend
