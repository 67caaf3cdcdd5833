// What agents that dial say before anybody knows who they are: the hello. It is
// read as the proxy reads it, in whatever pieces it comes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "proxy/upstream/tunnel_preamble.h"

namespace carme::proxy {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

void CheckHello(std::string_view bytes) {
  const auto scanned = ScanTunnelPreamble(bytes);
  if (!scanned.ok()) {
    // Whatever follows does not make it good, and what came before was not.
    Require(!ScanTunnelPreamble(std::string(bytes) + "\n").ok());
    return;
  }
  if (!scanned->has_value()) {
    // It is never waited for ever.
    Require(bytes.size() < kTunnelPreambleBytes);
    const std::string rest(kTunnelPreambleBytes - bytes.size(), 'a');
    Require(!ScanTunnelPreamble(std::string(bytes) + rest).ok());
    return;
  }
  // Exactly one way to say so, and nothing of what follows is read.
  const JobId& job = **scanned;
  Require(IsJobId(job.value()));
  Require(bytes == "CARME1 LINK " + job.value() + "\n");
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto part = ScanTunnelPreamble(bytes.substr(0, size));
    Require(part.ok() && !part->has_value());
  }
}

}  // namespace
}  // namespace carme::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::proxy::CheckHello(bytes);
  carme::proxy::CheckHello(
      bytes.substr(0, std::min(size, carme::proxy::kTunnelPreambleBytes)));
  return 0;
}
