#include "slurm-hooks/sampler/kernel_log_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"
#include "slurm-hooks/sampler/sample_file.h"

namespace carme::sampler {
namespace {

// Of one round; what is left is read in the next.
constexpr int kMaxRecords = 500;
constexpr int kMaxEvents = 20;
constexpr size_t kMaxRecordBytes = 8192;
constexpr char kNvidiaGpus[] = "/proc/driver/nvidia/gpus";

// NVIDIA's driver lists its GPUs by PCI address, "0000:3b:00.0".
std::set<std::string> FindOwnGpus() {
  std::set<std::string> own;
  const Directory gpus = OpenDirectory(kNvidiaGpus);
  if (gpus == nullptr) return own;
  while (const dirent* const entry = readdir(gpus.get())) {
    const std::string address = entry->d_name;
    const auto text = ReadSampleFile(std::string(kNvidiaGpus) + "/" + address +
                                     "/information");
    if (!text) continue;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view line = TakeLine(&rest);
      constexpr std::string_view kMinor = "Device Minor:";
      if (!line.starts_with(kMinor)) continue;
      line.remove_prefix(kMinor.size());
      const std::string device = "/dev/nvidia" + std::string(TakeWord(&line));
      const UniqueFd opened(open(device.c_str(), O_RDWR | O_CLOEXEC));
      // The kernel's log has the address without the function.
      if (opened.valid()) own.insert(address.substr(0, address.rfind('.')));
      break;
    }
  }
  return own;
}

}  // namespace

KernelLogSource::KernelLogSource(UniqueFd log, std::string slurm_job)
    : log_(std::move(log)),
      slurm_job_(std::move(slurm_job)),
      own_gpus_(FindOwnGpus()) {}

std::unique_ptr<KernelLogSource> KernelLogSource::Open(const std::string& path,
                                                       std::string slurm_job) {
  UniqueFd log(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!log.valid() || lseek(log.get(), 0, SEEK_END) < 0) return nullptr;
  return std::unique_ptr<KernelLogSource>(
      new KernelLogSource(std::move(log), std::move(slurm_job)));
}

// Jobs on the same node do not see each other's events.
bool KernelLogSource::Concerns(const KernelEvent& event) const {
  if (event.kind == "oom") return IsOfJob(event.subject, slurm_job_);
  if (event.kind == "xid") return own_gpus_.contains(event.subject);
  return true;
}

void KernelLogSource::Sample(int64_t now_ms, SampleBuffer* buffer) {
  std::array<char, kMaxRecordBytes> record;
  int events = 0;
  for (int i = 0; i < kMaxRecords; ++i) {
    const ssize_t got = read(log_.get(), record.data(), record.size());
    // EPIPE: records were overwritten before they were read.
    if (got < 0 && (errno == EINTR || errno == EPIPE)) continue;
    if (got <= 0) return;
    const auto event =
        ParseKernelRecord({record.data(), static_cast<size_t>(got)});
    if (!event || !Concerns(*event) || ++events > kMaxEvents) continue;
    buffer->AddEvent(now_ms, event->kind, event->text, event->labels);
  }
}

}  // namespace carme::sampler
