// Files for ssh between the nodes of a job, in the job's runtime directory:
// keys for this job only, and configurations for ssh and sshd. The user's
// ~/.ssh is neither read by sshd nor modified.
#ifndef CARME_SLURM_HOOKS_NODES_SSH_FILES_H_
#define CARME_SLURM_HOOKS_NODES_SSH_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/node_agent.pb.h"

namespace carme::node {

std::string SshDirectory(const std::string& directory);
std::string SshConfigPath(const std::string& directory);
std::string SshHostsPath(const std::string& directory);
std::string SshdConfigPath(const std::string& directory);

// Creates new host and user keys in the formats of OpenSSH.
absl::StatusOr<v1::SshKeys> NewSshKeys(const std::string& comment);

// Host keys of the nodes: one for this job, and one for each linked job.
std::string KnownHostsText(const v1::NodeList& list, const v1::SshKeys& own);
// User keys that may log in: those of this job and of its linked jobs.
std::string AuthorizedKeysText(const v1::NodeList& list,
                               const v1::SshKeys& own);

// ssh_config entries for each node that has an sshd.
std::string SshHostsText(const v1::NodeList& list, const std::string& directory,
                         const std::string& user);
// For `ssh -F`: these hosts, then the user's own settings, then the system's.
std::string SshConfigText(const std::string& directory);

// sshd_config for sshd in inetd mode: only the authorized keys may log in.
// Sessions get `environment` ("NAME=value").
std::string SshdConfigText(const std::string& directory,
                           const std::vector<std::string>& environment);

// Writes known_hosts and authorized_keys after the nodes changed.
absl::Status WriteSshTrust(const std::string& directory,
                           const v1::NodeList& list, const v1::SshKeys& own);

// Creates the directory with mode 0700 and the keys in it with mode 0600.
absl::Status WriteSshKeys(const std::string& directory,
                          const v1::SshKeys& keys);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SSH_FILES_H_
