// The activity of SMs, pipes, memory and links of NVIDIA's GPUs by DCGM: what
// NVML does not have before Hopper. It connects to the host engine of the node,
// because only root may profile a GPU, and a process that profiles needs it for
// itself.
#ifndef CARME_SLURM_HOOKS_GPU_DCGM_SOURCE_H_
#define CARME_SLURM_HOOKS_GPU_DCGM_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gpu {

struct DcgmOptions {
  // Address of the host engine: IP:port, or the absolute path of a socket.
  std::string host_engine;
  // Between two updates; DCGM averages over it. At least 100 ms.
  absl::Duration interval = absl::Seconds(1);
  // For the connection.
  absl::Duration timeout = absl::Seconds(10);
  // The first of these names or paths that exists.
  std::vector<std::string> libraries = {"libdcgm.so.4", "libdcgm.so.3"};
};

// A source of the GPUs with these UUIDs. Of other GPUs of the node only the
// UUID is read. A GPU that is divided (MIG) has no values: those of the whole
// GPU may be those of other jobs. NOT_FOUND: no library, or none of the GPUs;
// UNAVAILABLE: no host engine, or it must not profile them. At most one at a
// time in a process.
//
// The source has no values before the first update, and none when the host
// engine has not updated them for two intervals. Sample() fails with
// UNAVAILABLE when the connection is lost, which is final.
absl::StatusOr<std::unique_ptr<GpuSource>> OpenDcgm(
    const DcgmOptions& options, const std::vector<std::string>& uuids);

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_DCGM_SOURCE_H_
