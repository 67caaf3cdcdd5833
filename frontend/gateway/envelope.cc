#include "frontend/gateway/envelope.h"

#include <cstddef>

#include "common/protobuf/message_error.h"
#include "frontend/gateway/messages.h"

namespace carme::frontend {
namespace {

constexpr size_t kHeaderBytes = 5;

}  // namespace

std::string Envelope(EnvelopeFlags flags, std::string_view message) {
  const auto length = static_cast<uint32_t>(message.size());
  std::string framed;
  framed.reserve(kHeaderBytes + message.size());
  framed.push_back(static_cast<char>(flags));
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed.push_back(static_cast<char>(length >> shift & 0xff));
  }
  framed.append(message);
  return framed;
}

absl::StatusOr<std::string> OpenEnvelope(std::string_view body) {
  if (body.size() < kHeaderBytes) {
    return MakeError(gateway_messages::kRequestTooShort,
                     {{"bytes", body.size()}});
  }
  const auto flags = static_cast<uint8_t>(body[0]);
  if (flags != kMessage) {
    return MakeError(gateway_messages::kFlagsInvalid, {{"flags", flags}});
  }
  uint32_t length = 0;
  for (size_t i = 1; i < kHeaderBytes; ++i) {
    length = length << 8 | static_cast<uint8_t>(body[i]);
  }
  const std::string_view message = body.substr(kHeaderBytes);
  if (length != message.size()) {
    return MakeError(gateway_messages::kEnvelopeLength,
                     {{"length", length}, {"bytes", message.size()}});
  }
  return std::string(message);
}

}  // namespace carme::frontend
