// Keys for OpenSSH, made for one job and kept nowhere else.
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

// "ssh-ed25519 AAAA…" and perhaps a comment, all of it plain: one line that
// means a key, whatever else is in the file it is put into.
bool IsPublicLine(std::string_view text);

// A new Ed25519 key. INTERNAL: OpenSSL has no random numbers.
absl::StatusOr<SshKey> NewSshKey(std::string_view comment);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_SSH_KEY_H_
