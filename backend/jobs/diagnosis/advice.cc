#include "backend/jobs/diagnosis/advice.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

struct Sign {
  std::string_view pattern;  // in the job's log
  const char* advice;
};

// The first match counts: specific ones come first.
constexpr Sign kSigns[] = {
    {"CUDA out of memory",
     "The memory of a GPU was full: use a smaller batch or model, or a GPU "
     "type with more memory. More memory per node does not help"},
    {"CUDA_ERROR_OUT_OF_MEMORY",
     "The memory of a GPU was full: use a smaller batch or model, or a GPU "
     "type with more memory. More memory per node does not help"},
    {"no kernel image is available for execution on the device",
     "The program was built for another GPU type: choose another type, or an "
     "image that supports this one"},
    {"CUDA driver version is insufficient",
     "The image needs a newer GPU driver than the node has: choose an older "
     "image"},
    {"No CUDA GPUs are available",
     "The program found no GPU: request at least one per node"},
    {"no CUDA-capable device is detected",
     "The program found no GPU: request at least one per node"},
    {"insufficient shared memory",
     "Shared memory was full: use fewer data loader workers"},
    {"copy the image to the job's own disk space",
     "The image does not fit into the scratch directory of the job: ask an "
     "administrator for a directory for shared images"},
    {"No space left on device",
     "A file system was full: check your storage in the portal and delete "
     "files that you do not need"},
    {"Disk quota exceeded",
     "Your storage quota is exceeded: check your storage in the portal and "
     "delete files that you do not need"},
    {"std::bad_alloc",
     "The program could not allocate memory: request more memory per node"},
    {"MemoryError",
     "The program could not allocate memory: request more memory per node"},
    {"Cannot allocate memory",
     "The program could not allocate memory: request more memory per node"},
    {"command not found",
     "A command was not found: check its name, or choose an image or "
     "environment that contains it"},
    {"Too many open files",
     "The program had too many open files: use fewer data loader workers"},
    {"Permission denied",
     "A file could not be read, written or executed: check the permissions of "
     "the file that is named"},
    {"No such file or directory",
     "A file was not found: check the path, and whether it exists in the image "
     "or on the node"},
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

std::string MoreMemory(const Job& job) {
  const int64_t mib = job.spec.memory_per_node_mib;
  const std::string instead =
      mib <= 0 ? ""
               : absl::StrCat(", such as ", (2 * mib + 1023) / 1024, " GiB");
  return absl::StrCat("Request more memory per node", instead,
                      ", or load less at once");
}

std::string AdviceForText(std::string_view text) {
  const std::string module = MissingModule(text);
  if (!module.empty()) {
    return absl::StrCat("Python has no module \"", module,
                        "\": install it for yourself, or choose an image or "
                        "environment that contains it");
  }
  for (const Sign& sign : kSigns) {
    if (text.find(sign.pattern) != std::string_view::npos) return sign.advice;
  }
  return "";
}

std::string OfItsCode(int exit_code) {
  switch (exit_code) {
    case 126:
      return "Check that the program is executable and was built for this "
             "processor architecture";
    case 127:
      return "A command was not found: check its name, or choose an image or "
             "environment that contains it";
    case 128 + 9:
      return "It was killed, often because memory ran out: if you did not kill "
             "it yourself, request more memory per node";
    case 128 + 6:
    case 128 + 7:
    case 128 + 8:
    case 128 + 11:
      return "The program crashed: its log may show where";
    default:
      return "";
  }
}

}  // namespace

std::string AdviceFor(const Job& job, std::string_view last_lines) {
  switch (job.end) {
    case v1::JOB_END_OUT_OF_MEMORY:
      return MoreMemory(job);
    case v1::JOB_END_TIME_LIMIT:
      return "Request a longer walltime, and let the program save checkpoints "
             "so that it can resume";
    case v1::JOB_END_NODE_FAIL:
      return "The job did not cause this: start it again";
    case v1::JOB_END_FAILED:
      break;
    default:
      return "";
  }
  std::string advice = AdviceForText(last_lines);
  // The agent's reason may have the cause if the log could not be written.
  if (advice.empty()) advice = AdviceForText(job.reason);
  return advice.empty() ? OfItsCode(job.exit_code) : advice;
}

}  // namespace carme::backend
