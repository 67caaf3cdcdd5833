// The files of ssh between the nodes of a job, in its runtime directory: keys
// of this job alone, a configuration for ssh and one for sshd. The user's
// ~/.ssh is neither read by sshd nor written.
#ifndef CARME_SLURM_HOOKS_NODES_SSH_FILES_H_
#define CARME_SLURM_HOOKS_NODES_SSH_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/peer.pb.h"

namespace carme::node {

std::string SshDirectory(const std::string& directory);
std::string SshConfigPath(const std::string& directory);
std::string SshHostsPath(const std::string& directory);
std::string SshdConfigPath(const std::string& directory);

// Four keys and no two alike, in the forms ssh reads.
absl::StatusOr<v1::SshKeys> NewSshKeys(const std::string& comment);

// What the nodes prove themselves with: this job's by one key, a companion's
// each by its own.
std::string KnownHostsText(const v1::Meet& meet, const v1::SshKeys& own);
// Who may come in: this job's user key, and those of its companions.
std::string AuthorizedKeysText(const v1::Meet& meet, const v1::SshKeys& own);

// For ssh: how each node with an sshd is reached.
std::string SshHostsText(const v1::Meet& meet, const std::string& directory,
                         const std::string& user);
// For `ssh -F`: that, then the user's own settings, then the system's.
std::string SshConfigText(const std::string& directory);

// For sshd, started by inetd's rule: the authorized keys are the one way in.
// Sessions get `environment` ("NAME=value").
std::string SshdConfigText(const std::string& directory,
                           const std::vector<std::string>& environment);

// Both, of nodes that changed.
absl::Status WriteSshTrust(const std::string& directory, const v1::Meet& meet,
                           const v1::SshKeys& own);

// Makes the folder, 0700, with the keys in it, 0600.
absl::Status WriteSshKeys(const std::string& directory,
                          const v1::SshKeys& keys);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SSH_FILES_H_
