// Keys for OpenSSH, created for one job and never stored elsewhere.
#ifndef CARME_SLURM_HOOKS_NODES_SSH_KEY_H_
#define CARME_SLURM_HOOKS_NODES_SSH_KEY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::node {

struct SshKey {
  std::string private_text;  // OpenSSH's own format, without a passphrase
  std::string public_line;   // "ssh-ed25519 AAAA… comment", no newline
};

// Returns whether `text` is "ssh-ed25519 AAAA…" with an optional plain comment:
// exactly one line that adds one key to the file it is written to.
bool IsPublicLine(std::string_view text);

// Creates an Ed25519 key. INTERNAL: OpenSSL has no random numbers.
absl::StatusOr<SshKey> NewSshKey(std::string_view comment);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SSH_KEY_H_
