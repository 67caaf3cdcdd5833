#include "slurm-hooks/vet/evaluations/nccl_collective.h"

#include <algorithm>
#include <cstring>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr int kFloat = 7;
constexpr int kSum = 0;
constexpr int kSumOfAll = -1;
constexpr double kDefaultPayload = 256.0 * 1024 * 1024;
constexpr double kMaxPayload = 0x1p50;  // more than any GPU has
constexpr unsigned kOne = 0x3f800000;   // 1.0F
// What a small sum has, for the latency.
constexpr size_t kSmallFloats = 2;
constexpr int kSmallSums = 21;

}  // namespace

CollectiveSize CollectiveSize::From(const Parameters& parameters) {
  CollectiveSize size;
  size.is_broadcast = parameters.Text("method") == kBroadcast;
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

bool NcclCollective::Open(const std::vector<int>& devices) {
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

bool NcclCollective::CreateUniqueId(std::string* unique_id) {
  NcclUniqueId id{};
  if (!NcclOk(nccl_.get_unique_id(&id), "ncclGetUniqueId")) return false;
  unique_id->assign(id.bytes, sizeof id.bytes);
  return true;
}

bool NcclCollective::ConnectDevices() {
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

bool NcclCollective::ConnectRanks(const std::string& unique_id, int ranks,
                                  int first_rank) {
  NcclUniqueId id{};
  std::memcpy(id.bytes, unique_id.data(),
              std::min(unique_id.size(), sizeof id.bytes));
  ranks_ = ranks;
  first_rank_ = first_rank;
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

double NcclCollective::MeasureBandwidth() {
  const auto root_of = [this](size_t run) {
    return size_.is_broadcast ? static_cast<int>(run % ranks_) : kSumOfAll;
  };
  for (size_t run = 0; run < size_.warmup_runs; ++run) {
    if (Run(root_of(run), size_.warmup_floats) < 0) return -1;
  }
  double slowest = 1e-9;
  const size_t runs = size_.is_broadcast ? static_cast<size_t>(ranks_) : 1;
  for (size_t run = 0; run < runs; ++run) {
    const double seconds = Run(root_of(run), size_.floats);
    if (seconds < 0 || !Check(root_of(run))) return -1;
    slowest = std::max(slowest, seconds);
  }
  const double factor =
      size_.is_broadcast ? ranks_ - 1 : 2.0 * (ranks_ - 1) / ranks_;
  return size_.payload / slowest * factor;
}

double NcclCollective::MeasureLatency() {
  std::vector<double> seconds;
  for (int i = 0; i < kSmallSums; ++i) {
    seconds.push_back(Time(kSumOfAll, size_.floats, kSmallFloats));
    if (seconds.back() < 0) return -1;
  }
  std::nth_element(seconds.begin(), seconds.begin() + kSmallSums / 2,
                   seconds.end());
  return seconds[kSmallSums / 2];
}

bool NcclCollective::Close() {
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

bool NcclCollective::NcclOk(int result, const char* call) const {
  if (result == 0) return true;
  *outcome_ = Outcome::Failed(
      FormatMessage(evaluation_messages::kGpuCall,
                    {{"call", call}, {"cause", nccl_.error_string(result)}}));
  return false;
}

bool NcclCollective::Fill(int root) const {
  for (size_t i = 0; i < devices_.size(); ++i) {
    const unsigned value = root == kSumOfAll || IsRoot(i, root) ? kOne : 0;
    if (!Cuda(cuda_.set_context(devices_[i].context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.fill(devices_[i].memory, value, size_.floats),
              "cuMemsetD32")) {
      return false;
    }
  }
  return Synchronize();
}

bool NcclCollective::Synchronize() const {
  for (const Device& device : devices_) {
    if (!Cuda(cuda_.set_context(device.context), "cuCtxSetCurrent") ||
        !Cuda(cuda_.synchronize(), "cuCtxSynchronize")) {
      return false;
    }
  }
  return true;
}

bool NcclCollective::Enqueue(const Device& device, int root, size_t offset,
                             size_t floats) const {
  const CudaMemory address = device.memory + offset * sizeof(float);
  // CUDA's driver has addresses as numbers, NCCL as pointers
  void* const memory =
      reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  if (root != kSumOfAll) {
    return NcclOk(nccl_.broadcast(memory, memory, floats, kFloat, root,
                                  device.communicator, device.stream),
                  "ncclBroadcast");
  }
  return NcclOk(nccl_.all_reduce(memory, memory, floats, kFloat, kSum,
                                 device.communicator, device.stream),
                "ncclAllReduce");
}

double NcclCollective::Time(int root, size_t offset, size_t floats) const {
  const absl::Time start = absl::Now();
  if (!NcclOk(nccl_.group_start(), "ncclGroupStart")) return -1;
  for (const Device& device : devices_) {
    if (!Enqueue(device, root, offset, floats)) return -1;
  }
  if (!NcclOk(nccl_.group_end(), "ncclGroupEnd") || !Synchronize()) return -1;
  return absl::ToDoubleSeconds(absl::Now() - start);
}

// Once, from the time at which all ranks are ready for it.
double NcclCollective::Run(int root, size_t floats) const {
  if (!Fill(root) || Time(kSumOfAll, size_.floats, kSmallFloats) < 0) return -1;
  return Time(root, 0, floats);
}

// Whether the last result of all elements is right at both ends.
bool NcclCollective::Check(int root) const {
  const bool is_sum = root == kSumOfAll;
  const auto expected = is_sum ? static_cast<float>(ranks_) : 1.0F;
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
    *outcome_ = Outcome::Failed(
        FormatMessage(is_sum ? evaluation_messages::kNcclDiffers
                             : evaluation_messages::kNcclBroadcastDiffers,
                      {{"gpu", device.number}}));
    return false;
  }
  return true;
}

}  // namespace carme::vet
