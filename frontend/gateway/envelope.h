// The framing of messages in a Connect stream: one byte of flags, four bytes
// of length (big-endian), the message.
// https://connectrpc.com/docs/protocol#streaming-request
#ifndef CARME_FRONTEND_GATEWAY_ENVELOPE_H_
#define CARME_FRONTEND_GATEWAY_ENVELOPE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::frontend {

enum EnvelopeFlags : uint8_t {
  kMessage = 0,
  kCompressed = 1,  // never made, always refused
  kEndOfStream = 2,
};

std::string Envelope(EnvelopeFlags flags, std::string_view message);

// The message of a request that holds exactly one envelope without flags.
// INVALID_ARGUMENT.
absl::StatusOr<std::string> OpenEnvelope(std::string_view body);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_ENVELOPE_H_
