// What programs on a node get to know about the other nodes of the job:
// environment variables, an env file for shells and scripts, a hostfile and a
// machinefile. The nodes differ only in rank and devices.
#ifndef CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_
#define CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/node/v1/node_agent.pb.h"

namespace carme::node {

using Variables = std::map<std::string, std::string>;

// Paths of the files in the job's runtime directory.
std::string EnvFilePath(const std::string& directory);
std::string HostfilePath(const std::string& directory);
std::string MachinefilePath(const std::string& directory);
std::string GroupFilePath(const std::string& directory);

// The /etc/group for an image: the groups of this process only. Other groups do
// not exist in a user namespace, and with a group "tty" that cannot be assigned
// sshd fails to open terminals.
std::string OwnGroupsText();

// Checks that names and addresses are safe in files for shells, ssh and MPI,
// and that ranks count from 0 without gaps. INVALID_ARGUMENT.
absl::Status CheckNodeList(const v1::NodeList& list);

// One line per node, such as "n1 slots=4", for OpenMPI and others.
std::string HostfileText(const v1::NodeList& list);
// One line per process, for GPI and MPICH: the name of a node for each of its
// GPUs, or once.
std::string MachinefileText(const v1::NodeList& list);

// Returns MASTER_ADDR, MASTER_PORT, NNODES, NODE_RANK and CARME_… as README.md
// lists them. Call CheckNodeList first; `rank` must be in the list.
Variables NodeVariables(const v1::NodeList& list, uint32_t rank,
                        const std::string& directory);

// Returns a script for sh that exports the variables, quoted, and puts
// `path_prefix` first in PATH once. Variables with invalid names are left out.
std::string EnvFileText(const Variables& variables,
                        const std::string& path_prefix);

// Overwrites the file in place, because it may be bind-mounted elsewhere;
// creates it with mode 0600. Does not follow links. Concurrent readers get the
// old or the new text if one is a prefix of the other.
absl::Status WriteInPlace(const std::string& path, const std::string& text);

// Returns the variables that are valid on all nodes of the job.
std::vector<std::string> JobWideVariables(
    const std::vector<std::string>& variables);
// Returns the variables for another node: the job-wide ones, and of this node's
// own its `rank` and devices.
std::vector<std::string> VariablesOnNode(
    const std::vector<std::string>& job_wide,
    const std::vector<std::string>& own, uint32_t rank);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_
