// Who made a MUNGE credential, as this host's munged says.
#ifndef CARME_BACKEND_JOBS_AGENTS_MUNGE_DECODER_H_
#define CARME_BACKEND_JOBS_AGENTS_MUNGE_DECODER_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::backend {

struct Credential {
  Uid uid;
  std::string payload;
};

// Thread-safe.
class CredentialDecoder {
 public:
  virtual ~CredentialDecoder() = default;
  // PERMISSION_DENIED: not a credential, too old, from the future, or seen
  // before; UNAVAILABLE: munged cannot say.
  virtual absl::StatusOr<Credential> Decode(const std::string& credential) = 0;
};

// Speaks to munged, which itself remembers what it has decoded: a replay is
// refused there, also after a restart of ours.
class MungeDecoder : public CredentialDecoder {
 public:
  // `socket`: munged's; empty: where the library looks.
  explicit MungeDecoder(std::string socket = "") : socket_(std::move(socket)) {}
  absl::StatusOr<Credential> Decode(const std::string& credential) override;

 private:
  const std::string socket_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_MUNGE_DECODER_H_
