// Decodes MUNGE credentials with the munged of this host.
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
  // PERMISSION_DENIED: not a credential, expired, from the future, or replayed;
  // UNAVAILABLE: munged does not respond.
  virtual absl::StatusOr<Credential> Decode(const std::string& credential) = 0;
};

// munged itself remembers decoded credentials: it refuses a replay also after a
// restart of the backend.
class MungeDecoder : public CredentialDecoder {
 public:
  // `socket`: the socket of munged; empty: the default of libmunge.
  explicit MungeDecoder(std::string socket = "") : socket_(std::move(socket)) {}
  absl::StatusOr<Credential> Decode(const std::string& credential) override;

 private:
  const std::string socket_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_MUNGE_DECODER_H_
