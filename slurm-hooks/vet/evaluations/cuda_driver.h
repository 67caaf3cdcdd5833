// The CUDA driver API as far as the evaluations use it, loaded from the driver.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_CUDA_DRIVER_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_CUDA_DRIVER_H_

#include <cstddef>
#include <string>

#include "slurm-hooks/gpu/driver_library.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"

namespace carme::vet {

using CudaDevice = int;
using CudaHandle = void*;  // of a context, module, function or stream
using CudaMemory = unsigned long long;  // an address on the device

struct CudaDriver {
  gpu::DriverLibrary library{{"libcuda.so.1"}};
  int (*init)(unsigned) = library.Find<int(unsigned)>("cuInit");
  int (*error_string)(int, const char**) =
      library.Find<int(int, const char**)>("cuGetErrorString");
  int (*count)(int*) = library.Find<int(int*)>("cuDeviceGetCount");
  int (*device)(CudaDevice*,
                int) = library.Find<int(CudaDevice*, int)>("cuDeviceGet");
  int (*retain_context)(CudaHandle*, CudaDevice) =
      library.Find<int(CudaHandle*, CudaDevice)>("cuDevicePrimaryCtxRetain");
  int (*set_context)(CudaHandle) =
      library.Find<int(CudaHandle)>("cuCtxSetCurrent");
  int (*synchronize)() = library.Find<int()>("cuCtxSynchronize");
  int (*load_module)(CudaHandle*, const void*) =
      library.Find<int(CudaHandle*, const void*)>("cuModuleLoadData");
  int (*function)(CudaHandle*, CudaHandle, const char*) =
      library.Find<int(CudaHandle*, CudaHandle, const char*)>(
          "cuModuleGetFunction");
  int (*allocate)(CudaMemory*, size_t) =
      library.Find<int(CudaMemory*, size_t)>("cuMemAlloc_v2");
  int (*free)(CudaMemory) = library.Find<int(CudaMemory)>("cuMemFree_v2");
  int (*to_device)(CudaMemory, const void*, size_t) =
      library.Find<int(CudaMemory, const void*, size_t)>("cuMemcpyHtoD_v2");
  int (*to_host)(void*, CudaMemory, size_t) =
      library.Find<int(void*, CudaMemory, size_t)>("cuMemcpyDtoH_v2");
  int (*fill)(CudaMemory, unsigned, size_t) =
      library.Find<int(CudaMemory, unsigned, size_t)>("cuMemsetD32_v2");
  int (*create_stream)(CudaHandle*, unsigned) =
      library.Find<int(CudaHandle*, unsigned)>("cuStreamCreate");
  int (*launch)(CudaHandle, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, CudaHandle, void**, void**) =
      library.Find<int(CudaHandle, unsigned, unsigned, unsigned, unsigned,
                       unsigned, unsigned, unsigned, CudaHandle, void**,
                       void**)>("cuLaunchKernel");

  // Loads the driver and counts the GPUs. False: `outcome` says why there are
  // none, which is a failure if the evaluation requires one.
  bool Open(const Evaluation& evaluation, int* gpus, Outcome* outcome);
  // False: `outcome` names the call and the error.
  bool Ok(int result, const char* call, Outcome* outcome) const;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_CUDA_DRIVER_H_
