#include "slurm-hooks/vet/evaluations/all_reduce.h"

#include <algorithm>
#include <cstring>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr int kFloat = 7;
constexpr int kSum = 0;
constexpr double kDefaultPayload = 256.0 * 1024 * 1024;
constexpr double kMaxPayload = 0x1p50;  // more than any GPU has
constexpr unsigned kOne = 0x3f800000;   // 1.0F
// What a small sum has, for the latency.
constexpr size_t kSmallFloats = 2;
constexpr int kSmallSums = 21;

}  // namespace

AllReduceSize AllReduceSize::From(const Parameters& parameters) {
  AllReduceSize size;
  size.payload = std::min(
      parameters.Number("payload").value_or(kDefaultPayload), kMaxPayload);
  size.floats =
      std::max<size_t>(1, static_cast<size_t>(size.payload / sizeof(float)));
  size.warmup_floats = std::clamp<size_t>(
      static_cast<size_t>(
          std::min(parameters.Number("warmup.payload").value_or(size.payload),
                   kMaxPayload) /
          sizeof(float)),
      1, size.floats);
  // more than any time-out permits
  constexpr double kMaxRuns = 1e9;
  size.warmup_runs = static_cast<size_t>(
      std::min(parameters.Number("warmup.runs").value_or(1), kMaxRuns));
  return size;
}

bool AllReduce::Open(const std::vector<int>& devices) {
  for (const int number : devices) {
    Device& device = devices_.emplace_back();
    device.number = number;
    CudaDevice handle = 0;
    if (!Cuda(cuda_.device(&handle, number), "cuDeviceGet") ||
        !Cuda(cuda_.retain_context(&device.context, handle),
              "cuDevicePrimaryCtxRetain") ||
        !Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.create_stream(&device.stream, 1), "cuStreamCreate") ||
        !Cuda(cuda_.allocate(&device.memory,
                             (size_.floats + kSmallFloats) * sizeof(float)),
              "cuMemAlloc")) {
      return false;
    }
  }
  return true;
}

bool AllReduce::CreateUniqueId(std::string* unique_id) {
  NcclUniqueId id{};
  if (!NcclOk(nccl_.get_unique_id(&id), "ncclGetUniqueId")) return false;
  unique_id->assign(id.bytes, sizeof id.bytes);
  return true;
}

bool AllReduce::ConnectDevices() {
  std::vector<NcclCommunicator> communicators(devices_.size());
  std::vector<int> numbers;
  for (const Device& device : devices_) numbers.push_back(device.number);
  ranks_ = static_cast<int>(devices_.size());
  if (!NcclOk(nccl_.init_all(communicators.data(), ranks_, numbers.data()),
              "ncclCommInitAll")) {
    return false;
  }
  for (size_t i = 0; i < devices_.size(); ++i) {
    devices_[i].communicator = communicators[i];
  }
  return true;
}

bool AllReduce::ConnectRanks(const std::string& unique_id, int ranks,
                             int first_rank) {
  NcclUniqueId id{};
  std::memcpy(id.bytes, unique_id.data(),
              std::min(unique_id.size(), sizeof id.bytes));
  ranks_ = ranks;
  if (!NcclOk(nccl_.group_start(), "ncclGroupStart")) return false;
  for (size_t i = 0; i < devices_.size(); ++i) {
    // NCCL takes the GPU of the current context
    if (!Cuda(cuda_.set_context(devices_[i].context), "cuCtxSetCurrent") ||
        !NcclOk(nccl_.init_rank(&devices_[i].communicator, ranks, id,
                                first_rank + static_cast<int>(i)),
                "ncclCommInitRank")) {
      return false;
    }
  }
  return NcclOk(nccl_.group_end(), "ncclCommInitRank");
}

double AllReduce::MeasureBandwidth() {
  for (size_t run = 0; run < size_.warmup_runs; ++run) {
    if (Run(size_.warmup_floats) < 0) return -1;
  }
  const double seconds = Run(size_.floats);
  if (seconds < 0 || !Check()) return -1;
  return size_.payload / std::max(seconds, 1e-9) * 2 * (ranks_ - 1) / ranks_;
}

double AllReduce::MeasureLatency() {
  std::vector<double> seconds;
  for (int i = 0; i < kSmallSums; ++i) {
    seconds.push_back(Sum(size_.floats, kSmallFloats));
    if (seconds.back() < 0) return -1;
  }
  std::nth_element(seconds.begin(), seconds.begin() + kSmallSums / 2,
                   seconds.end());
  return seconds[kSmallSums / 2];
}

bool AllReduce::Close() {
  for (const Device& device : devices_) {
    if (!Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !NcclOk(nccl_.destroy(device.communicator), "ncclCommDestroy") ||
        !Cuda(cuda_.free(device.memory), "cuMemFree")) {
      return false;
    }
  }
  devices_.clear();
  return true;
}

bool AllReduce::NcclOk(int result, const char* call) const {
  if (result == 0) return true;
  *outcome_ = Outcome::Failed(
      FormatMessage(evaluation_messages::kGpuCall,
                    {{"call", call}, {"cause", nccl_.error_string(result)}}));
  return false;
}

bool AllReduce::Fill() const {
  for (const Device& device : devices_) {
    if (!Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.fill(device.memory, kOne, size_.floats), "cuMemsetD32")) {
      return false;
    }
  }
  return Synchronize();
}

bool AllReduce::Synchronize() const {
  for (const Device& device : devices_) {
    if (!Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.synchronize(), "cuCtxSynchronize")) {
      return false;
    }
  }
  return true;
}

double AllReduce::Sum(size_t offset, size_t floats) const {
  const absl::Time start = absl::Now();
  if (!NcclOk(nccl_.group_start(), "ncclGroupStart")) return -1;
  for (const Device& device : devices_) {
    const CudaMemory address = device.memory + offset * sizeof(float);
    // CUDA's driver has addresses as numbers, NCCL as pointers
    void* const memory =
        reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (!NcclOk(nccl_.all_reduce(memory, memory, floats, kFloat, kSum,
                                 device.communicator, device.stream),
                "ncclAllReduce")) {
      return -1;
    }
  }
  if (!NcclOk(nccl_.group_end(), "ncclGroupEnd") || !Synchronize()) return -1;
  return absl::ToDoubleSeconds(absl::Now() - start);
}

// One sum, from the time at which all ranks are ready for it.
double AllReduce::Run(size_t floats) const {
  if (!Fill() || Sum(size_.floats, kSmallFloats) < 0) return -1;
  return Sum(0, floats);
}

// Whether the last sum of all elements is right at both ends.
bool AllReduce::Check() const {
  const auto expected = static_cast<float>(ranks_);
  for (const Device& device : devices_) {
    float first = 0;
    float last = 0;
    const CudaMemory end = device.memory + (size_.floats - 1) * sizeof(float);
    if (!Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.to_host(&first, device.memory, sizeof first),
              "cuMemcpyDtoH") ||
        !Cuda(cuda_.to_host(&last, end, sizeof last), "cuMemcpyDtoH")) {
      return false;
    }
    if (first == expected && last == expected) continue;
    *outcome_ = Outcome::Failed(FormatMessage(evaluation_messages::kNcclDiffers,
                                              {{"gpu", device.number}}));
    return false;
  }
  return true;
}

}  // namespace carme::vet
