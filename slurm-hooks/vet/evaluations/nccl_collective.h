// Sums and broadcasts on the GPUs of this node by NCCL, or RCCL of AMD, alone
// or together with those of another node.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_COLLECTIVE_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_COLLECTIVE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "slurm-hooks/vet/evaluations/cuda_driver.h"

namespace carme::vet {

// The interface of libnccl.so.2 as far as it is used here.
using NcclCommunicator = void*;

struct NcclUniqueId {
  char bytes[128];
};

struct Nccl {
  gpu::DriverLibrary library{{"libnccl.so.2", "librccl.so.1"}};
  const char* (*error_string)(int) =
      library.Find<const char*(int)>("ncclGetErrorString");
  int (*get_unique_id)(NcclUniqueId*) =
      library.Find<int(NcclUniqueId*)>("ncclGetUniqueId");
  int (*init_all)(NcclCommunicator*, int, const int*) =
      library.Find<int(NcclCommunicator*, int, const int*)>("ncclCommInitAll");
  int (*init_rank)(NcclCommunicator*, int, NcclUniqueId, int) =
      library.Find<int(NcclCommunicator*, int, NcclUniqueId, int)>(
          "ncclCommInitRank");
  int (*destroy)(NcclCommunicator) =
      library.Find<int(NcclCommunicator)>("ncclCommDestroy");
  int (*group_start)() = library.Find<int()>("ncclGroupStart");
  int (*group_end)() = library.Find<int()>("ncclGroupEnd");
  int (*all_reduce)(const void*, void*, size_t, int, int, NcclCommunicator,
                    CudaHandle) =
      library.Find<int(const void*, void*, size_t, int, int, NcclCommunicator,
                       CudaHandle)>("ncclAllReduce");
  int (*broadcast)(const void*, void*, size_t, int, int, NcclCommunicator,
                   CudaHandle) =
      library.Find<int(const void*, void*, size_t, int, int, NcclCommunicator,
                       CudaHandle)>("ncclBroadcast");
};

// What is measured, from the parameters of an evaluation.
struct CollectiveSize {
  bool is_broadcast = false;  // otherwise a sum
  double payload = 0;         // bytes
  size_t floats = 0;          // of the payload
  size_t warmup_floats = 0;
  size_t warmup_runs = 0;

  static CollectiveSize From(const Parameters& parameters);
};

// Each function that returns false or a negative number has written the reason
// to the outcome. Each may hang.
class NcclCollective {
 public:
  // The arguments must outlive this.
  NcclCollective(const CudaDriver& cuda, const Nccl& nccl,
                 const CollectiveSize& size, Outcome* outcome)
      : cuda_(cuda), nccl_(nccl), size_(size), outcome_(outcome) {}

  // Prepares the GPUs and their memory.
  bool Open(const std::vector<int>& devices);
  // An id for ConnectRanks, 128 bytes. The rank 0 must create it.
  bool CreateUniqueId(std::string* unique_id);
  // Connects the GPUs with each other.
  bool ConnectDevices();
  // Connects them with those of other processes too; all must call it. The
  // first GPU here has `first_rank` of `ranks`.
  bool ConnectRanks(const std::string& unique_id, int ranks, int first_rank);

  // Warms up, sums the payload once, or broadcasts it from each rank in turn,
  // and checks the result. Returns the bandwidth of the bus, with broadcasts
  // that of the slowest, in bytes a second.
  double MeasureBandwidth();
  // The median duration of small sums, in seconds.
  double MeasureLatency();

  // Waits until nothing is under way to the other ranks any more, and frees
  // the memory.
  bool Close();

 private:
  struct Device {
    int number = 0;
    CudaHandle context = nullptr;
    CudaHandle stream = nullptr;
    CudaMemory memory = 0;  // the payload, and kSmallFloats after it
    NcclCommunicator communicator = nullptr;
  };

  bool Cuda(int result, const char* call) const {
    return cuda_.Ok(result, call, outcome_);
  }
  bool NcclOk(int result, const char* call) const;
  bool IsRoot(size_t device, int root) const {
    return first_rank_ + static_cast<int>(device) == root;
  }
  // `root`: the rank that broadcasts; kSumOfAll: none.
  bool Fill(int root) const;
  bool Synchronize() const;
  bool Enqueue(const Device& device, int root, size_t offset,
               size_t floats) const;
  // That many floats, which begin `offset` floats after the memory.
  double Time(int root, size_t offset, size_t floats) const;
  double Run(int root, size_t floats) const;
  bool Check(int root) const;

  const CudaDriver& cuda_;
  const Nccl& nccl_;
  const CollectiveSize size_;
  Outcome* const outcome_;
  int ranks_ = 0;
  int first_rank_ = 0;
  std::vector<Device> devices_;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_NCCL_COLLECTIVE_H_
