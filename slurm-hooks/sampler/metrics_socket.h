// The unix datagram socket on which programs of the job report values. A thread
// reads it all the time, so that no program waits, and drops what exceeds the
// limits of ProgramMetrics.
#ifndef CARME_SLURM_HOOKS_SAMPLER_METRICS_SOCKET_H_
#define CARME_SLURM_HOOKS_SAMPLER_METRICS_SOCKET_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/sampler/program_metrics.h"

namespace carme::sampler {

// Returns the path of the socket in the job's runtime directory, which programs
// get as CARME_METRICS_SOCKET.
std::string MetricsSocketPath(const std::string& directory);

class MetricsSocket {
 public:
  // Replaces a socket at `path`; the directory protects it. `metrics` must
  // outlive this. Errors of socket(2) and bind(2).
  static absl::StatusOr<std::unique_ptr<MetricsSocket>> Open(
      const std::string& path, ProgramMetrics* metrics);
  ~MetricsSocket();

 private:
  MetricsSocket(std::string path, UniqueFd socket, UniqueFd stop,
                ProgramMetrics* metrics);
  void Receive();

  const std::string path_;
  const UniqueFd socket_;
  const UniqueFd stop_;
  ProgramMetrics* const metrics_;
  std::thread thread_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_METRICS_SOCKET_H_
