// The only file that knows the differences between releases of libslurm, whose
// ABI is not stable. Other files include libslurm through it.
//
// Fields that only some releases have are tested at compile time; functions
// that were renamed are weak symbols under both names.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_
#define CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

static_assert(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0),
              "libslurm 22.05 or later is needed");

namespace carme {

// Reads slurm.conf and loads the client plugins, so that no later call has to.
// Does no network I/O. REQUIRES: a valid slurm.conf; otherwise libslurm ends
// the process.
void InitSlurm(const std::string& conf);

// The ports of slurmctld in slurm.conf. Empty: this libslurm does not report
// them. REQUIRES: InitSlurm().
std::vector<uint16_t> ControllerPorts();

struct SlurmUserName {
  uint32_t uid = 0;
  std::string name;
};
// SlurmUser of slurm.conf; root if it names none. Empty: this libslurm does not
// report it. REQUIRES: InitSlurm().
std::optional<SlurmUserName> SlurmUserOfConf();

// The message of slurm_strerror() in our style: lower case, no period.
std::string SlurmErrorText(int error);

// What an error of a call to the controller means for its effect.
enum class SlurmFailure {
  kRefused,      // the controller refused
  kUnreachable,  // the message did not reach the controller
  kUnknown,      // the message may have arrived, the response did not
};
SlurmFailure FailureOf(int error);
// The job has ended, or was purged.
bool MeansJobIsOver(int error);

// "n[1-2],x" → n1, n2, x. At most 65,536 names; empty if invalid.
std::vector<std::string> ExpandHostlist(const std::string& list);

// Slurm's reason, such as "Resources"; empty if there is none.
std::string ReasonOf(const slurm_job_info_t& job);

struct NodeUse {
  int cpus = 0;
  int64_t memory_mib = 0;
};
NodeUse UseOf(const node_info_t& node);

// A value for tres_per_node of job_desc_msg_t: "gres:gpu:h200:2".
std::string GpuRequest(std::string_view type, int count);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_
