// How a worker and the coordinator prove to each other that they belong to the
// same run and user. Any user can connect to the coordinator's port, and could
// listen on it before the coordinator does.
//
//   coordinator ► 32 random bytes
//   worker      ► 32 random bytes; with MUNGE also a credential
//   coordinator ► with MUNGE a credential
//
// The key of the channel is made of both random texts and either the secret of
// the run, which `carme vet --require` passes to its step by Slurm, or of keys
// in the credentials, which only the same user can decode.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_HANDSHAKE_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_HANDSHAKE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/coordination/channel.h"

namespace carme::vet {

struct RunIdentity {
  std::string run;     // the job and step
  std::string secret;  // empty: MUNGE
};

// The coordinator's side of one connection.
class Admission {
 public:
  // Sends the first message.
  Admission(UniqueFd fd, const RunIdentity& identity);

  int fd() const { return fd_.get(); }
  absl::Time deadline() const { return deadline_; }
  // Reads what has arrived. Blocks for munged. nullopt: more must arrive. On an
  // error the connection must be closed.
  absl::StatusOr<std::optional<Channel>> Advance();

 private:
  UniqueFd fd_;
  const RunIdentity& identity_;
  const std::string nonce_;
  const absl::Time deadline_;
  std::string received_;
};

struct Endpoint {
  std::string host;
  int port = 0;
};

// The worker's side: tries the endpoints in turn until one of them belongs to
// this run. UNAVAILABLE with the last cause.
absl::StatusOr<Channel> ConnectToCoordinator(
    const std::vector<Endpoint>& endpoints, const RunIdentity& identity,
    absl::Duration timeout);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_HANDSHAKE_H_
