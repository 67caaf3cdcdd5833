// What programs on a node of a job find about the others: variables, an env
// file that shells and scripts read, a hostfile, a machinefile. All nodes of a
// job write the same, but for their own rank and devices.
#ifndef CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_
#define CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/node/v1/peer.pb.h"

namespace carme::node {

using Variables = std::map<std::string, std::string>;

// Where the files of a job lie in its runtime directory.
std::string EnvFilePath(const std::string& directory);
std::string HostfilePath(const std::string& directory);
std::string MachinefilePath(const std::string& directory);
std::string GroupFilePath(const std::string& directory);

// /etc/group of an image: this process's own groups. No others are anybody's
// within a user namespace; and with a group "tty" that cannot be given away,
// sshd would open no terminal.
std::string OwnGroupsText();

// Names and addresses that may stand in files which shells, ssh and MPI read,
// and ranks from 0 without a gap. INVALID_ARGUMENT.
absl::Status CheckNodeList(const v1::Meet& meet);

// "n1 slots=4", a line a node: what OpenMPI and others read.
std::string HostfileText(const v1::Meet& meet);
// A name a line, as often as the node has GPUs of the job's, or once: a line a
// process, as GPI and MPICH read it.
std::string MachinefileText(const v1::Meet& meet);

// MASTER_ADDR, MASTER_PORT, NNODES, NODE_RANK, CARME_… as README.md lists them.
// REQUIRES: CheckNodeList; `rank` is one of its nodes.
Variables NodeVariables(const v1::Meet& meet, uint32_t rank,
                        const std::string& directory);

// For sh: an export a line, values quoted; `path_prefix` comes first in PATH,
// once. Variables whose names no shell could take are left out.
std::string EnvFileText(const Variables& variables,
                        const std::string& path_prefix);

// Writes into the file that is there, because it may be shown elsewhere by a
// mount; made 0600 when there is none. No link is followed. Who reads meanwhile
// finds the old text or the new one, where one begins with the other.
absl::Status WriteInPlace(const std::string& path, const std::string& text);

// Of a job as a whole: what another node of it may be told of one node's
// variables.
std::vector<std::string> JobWideVariables(
    const std::vector<std::string>& variables);
// On another node: those, and of this node's own, `rank` and devices.
std::vector<std::string> VariablesOnNode(
    const std::vector<std::string>& job_wide,
    const std::vector<std::string>& own, uint32_t rank);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SHARED_FILES_H_
