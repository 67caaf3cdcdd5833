// The only file that knows how releases of libslurm differ, and the only one
// that includes its headers for the rest: no ABI of libslurm is stable.
//
// Where a newer header has another field, the compiler is asked whether the
// field is there; a function that was renamed is looked for under both names.
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

// Reads slurm.conf and loads the plugins of a client, so that no later call has
// to. Asks nobody. REQUIRES: a slurm.conf that is right: with any other one
// libslurm ends the process.
void InitSlurm(const std::string& conf);

// Where slurmctld listens, as slurm.conf says. Empty: this libslurm does not
// tell. REQUIRES: InitSlurm().
std::vector<uint16_t> ControllerPorts();

struct SlurmUserName {
  uint32_t uid = 0;
  std::string name;
};
// SlurmUser of slurm.conf, as libslurm has read it: root where it names none.
// Absent: this libslurm does not tell. REQUIRES: InitSlurm().
std::optional<SlurmUserName> SlurmUserOfConf();

// slurm_strerror()'s sentence as ours begin: in lower case, no period.
std::string SlurmErrorText(int error);

// What an error of a call to the controller says about its effect.
enum class SlurmFailure {
  kRefused,      // the controller said no
  kUnreachable,  // the controller did not get the message
  kUnknown,      // the message may have arrived, the answer did not
};
SlurmFailure FailureOf(int error);
// The job that was to be cancelled is over, or forgotten.
bool MeansJobIsOver(int error);

// "n[1-2],x" → n1, n2, x. At most 65,536 names; empty for what is no list.
std::vector<std::string> ExpandHostlist(const std::string& list);

// A word such as "Resources"; empty when there is none.
std::string ReasonOf(const slurm_job_info_t& job);

struct NodeUse {
  int cpus = 0;
  int64_t memory_mib = 0;
};
NodeUse UseOf(const node_info_t& node);

// What job_desc_msg_t's tres_per_node asks for: "gres:gpu:h200:2".
std::string GpuRequest(std::string_view type, int count);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_
