// The bandwidth between the GPUs of a node by NCCL, or RCCL of AMD.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/cuda_driver.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

// The interface of libnccl.so.2 as far as it is used here.
using Communicator = void*;
constexpr int kFloat = 7;
constexpr int kSum = 0;
constexpr double kDefaultPayload = 256.0 * 1024 * 1024;
constexpr unsigned kOne = 0x3f800000;  // 1.0F

struct Nccl {
  gpu::DriverLibrary library{{"libnccl.so.2", "librccl.so.1"}};
  const char* (*error_string)(int) =
      library.Find<const char*(int)>("ncclGetErrorString");
  int (*init_all)(Communicator*, int, const int*) =
      library.Find<int(Communicator*, int, const int*)>("ncclCommInitAll");
  int (*group_start)() = library.Find<int()>("ncclGroupStart");
  int (*group_end)() = library.Find<int()>("ncclGroupEnd");
  int (*all_reduce)(const void*, void*, size_t, int, int, Communicator,
                    CudaHandle) =
      library.Find<int(const void*, void*, size_t, int, int, Communicator,
                       CudaHandle)>("ncclAllReduce");
};

struct Rank {
  int device = 0;
  CudaHandle context = nullptr;
  CudaHandle stream = nullptr;
  CudaMemory memory = 0;
};

// Sums on some GPUs of this node.
class AllReduce {
 public:
  AllReduce(const CudaDriver& cuda, const Nccl& nccl, size_t floats,
            Outcome* outcome)
      : cuda_(cuda), nccl_(nccl), floats_(floats), outcome_(outcome) {}

  bool Open(const std::vector<int>& devices) {
    for (const int device : devices) {
      Rank& rank = ranks_.emplace_back();
      rank.device = device;
      CudaDevice handle = 0;
      if (!Cuda(cuda_.device(&handle, device), "cuDeviceGet") ||
          !Cuda(cuda_.retain_context(&rank.context, handle),
                "cuDevicePrimaryCtxRetain") ||
          !Cuda(cuda_.set_context(rank.context), "cuCtxSetCurrent") ||
          !Cuda(cuda_.create_stream(&rank.stream, 1), "cuStreamCreate") ||
          !Cuda(cuda_.allocate(&rank.memory, floats_ * sizeof(float)),
                "cuMemAlloc")) {
        return false;
      }
    }
    communicators_.resize(devices.size());
    return NcclOk(
        nccl_.init_all(communicators_.data(), static_cast<int>(devices.size()),
                       devices.data()),
        "ncclCommInitAll");
  }

  // One sum of `floats`, at most those of the memory; nullopt-like: negative
  // seconds are a failure.
  double Run(size_t floats) {
    if (!Fill()) return -1;
    const absl::Time start = absl::Now();
    if (!NcclOk(nccl_.group_start(), "ncclGroupStart")) return -1;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      void* const memory = reinterpret_cast<void*>(ranks_[i].memory);
      if (!NcclOk(nccl_.all_reduce(memory, memory, std::min(floats, floats_),
                                   kFloat, kSum, communicators_[i],
                                   ranks_[i].stream),
                  "ncclAllReduce")) {
        return -1;
      }
    }
    if (!NcclOk(nccl_.group_end(), "ncclGroupEnd") || !Synchronize()) return -1;
    return absl::ToDoubleSeconds(absl::Now() - start);
  }

  // Whether the last sum of all elements is right at both ends.
  bool Check() {
    const auto expected = static_cast<float>(ranks_.size());
    for (const Rank& rank : ranks_) {
      float first = 0;
      float last = 0;
      const CudaMemory end = rank.memory + (floats_ - 1) * sizeof(float);
      if (!Cuda(cuda_.set_context(rank.context), "cuCtxSetCurrent") ||
          !Cuda(cuda_.to_host(&first, rank.memory, sizeof first),
                "cuMemcpyDtoH") ||
          !Cuda(cuda_.to_host(&last, end, sizeof last), "cuMemcpyDtoH")) {
        return false;
      }
      if (first == expected && last == expected) continue;
      *outcome_ = Outcome::Failed(FormatMessage(
          evaluation_messages::kNcclDiffers, {{"gpu", rank.device}}));
      return false;
    }
    return true;
  }

  void Close() {
    for (const Rank& rank : ranks_) {
      cuda_.set_context(rank.context);
      cuda_.free(rank.memory);
    }
  }

 private:
  bool Cuda(int result, const char* call) {
    return cuda_.Ok(result, call, outcome_);
  }
  bool NcclOk(int result, const char* call) {
    if (result == 0) return true;
    *outcome_ = Outcome::Failed(
        FormatMessage(evaluation_messages::kGpuCall,
                      {{"call", call}, {"cause", nccl_.error_string(result)}}));
    return false;
  }
  bool Fill() {
    for (const Rank& rank : ranks_) {
      if (!Cuda(cuda_.set_context(rank.context), "cuCtxSetCurrent") ||
          !Cuda(cuda_.fill(rank.memory, kOne, floats_), "cuMemsetD32")) {
        return false;
      }
    }
    return Synchronize();
  }
  bool Synchronize() {
    for (const Rank& rank : ranks_) {
      if (!Cuda(cuda_.set_context(rank.context), "cuCtxSetCurrent") ||
          !Cuda(cuda_.synchronize(), "cuCtxSynchronize")) {
        return false;
      }
    }
    return true;
  }

  const CudaDriver& cuda_;
  const Nccl& nccl_;
  const size_t floats_;
  Outcome* const outcome_;
  std::vector<Rank> ranks_;
  std::vector<Communicator> communicators_;
};

// The bandwidth of the bus in bytes a second; negative: it failed.
double Measure(const CudaDriver& cuda, const Nccl& nccl,
               const std::vector<int>& devices, const Parameters& parameters,
               Outcome* outcome) {
  const double payload = parameters.Number("payload").value_or(kDefaultPayload);
  const size_t floats =
      std::max<size_t>(1, static_cast<size_t>(payload / sizeof(float)));
  const auto warmup_floats = static_cast<size_t>(
      parameters.Number("warmup.payload").value_or(payload) / sizeof(float));
  AllReduce all_reduce(cuda, nccl, floats, outcome);
  if (!all_reduce.Open(devices)) return -1;
  const double runs = parameters.Number("warmup.runs").value_or(1);
  for (double run = 0; run < runs; ++run) {
    if (all_reduce.Run(std::max<size_t>(1, warmup_floats)) < 0) return -1;
  }
  const double seconds = all_reduce.Run(floats);
  if (seconds < 0 || !all_reduce.Check()) return -1;
  all_reduce.Close();
  const auto ranks = static_cast<double>(devices.size());
  return payload / std::max(seconds, 1e-9) * 2 * (ranks - 1) / ranks;
}

std::vector<std::vector<int>> GroupsOf(int gpus, bool in_pairs) {
  std::vector<std::vector<int>> groups;
  if (!in_pairs) {
    std::vector<int>& all = groups.emplace_back();
    for (int gpu = 0; gpu < gpus; ++gpu) all.push_back(gpu);
    return groups;
  }
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b) groups.push_back({a, b});
  }
  return groups;
}

}  // namespace

Outcome EvaluateNccl(const Evaluation& evaluation) {
  const Parameters& parameters = evaluation.parameters;
  CudaDriver cuda;
  Outcome outcome;
  int gpus = 0;
  if (!cuda.Open(evaluation, &gpus, &outcome)) return outcome;
  Nccl nccl;
  if (!nccl.library.status().ok()) {
    return Outcome::Error(std::string(nccl.library.status().message()));
  }
  const std::string method = parameters.Text("method", "allreduce");
  if (method != "allreduce" && method != "roundrobin") {
    return Outcome::Error(
        FormatMessage(evaluation_messages::kNcclMethod, {{"method", method}}));
  }
  const std::string topology = parameters.Text("topology", "intranode");
  if (topology != "intranode") {
    return Outcome::Error(
        FormatMessage(evaluation_messages::kNcclBetweenNodes));
  }
  if (gpus < 2) {
    return Outcome::Skipped(FormatMessage(evaluation_messages::kOneGpu));
  }
  const auto min = parameters.Number("min_bandwidth");
  double worst = -1;
  for (const auto& devices : GroupsOf(gpus, method == "roundrobin")) {
    const double bandwidth = Measure(cuda, nccl, devices, parameters, &outcome);
    if (bandwidth < 0) return outcome;
    if (worst >= 0 && bandwidth >= worst) continue;
    worst = bandwidth;
    if (!min.has_value() || bandwidth > *min) continue;
    outcome = Outcome::Failed(FormatMessage(
        evaluation_messages::kTooLittle,
        {{"subject", devices.size() == 2
                         ? absl::StrCat("the bandwidth between GPU ",
                                        devices[0], " and GPU ", devices[1])
                         : "the bandwidth between the GPUs"},
         {"found", FormatBytes(bandwidth) + "/s"},
         {"expected", FormatBytes(*min) + "/s"}}));
  }
  outcome.metrics["bus_bytes_per_second"] = worst;
  return outcome;
}

}  // namespace carme::vet
