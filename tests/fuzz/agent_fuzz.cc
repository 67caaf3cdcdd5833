// What the proxy reads from an agent's connection before it has authenticated
// the agent: the preamble, with any fragmentation.
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
    // A later byte does not make it valid.
    Require(!ScanTunnelPreamble(std::string(bytes) + "\n").ok());
    return;
  }
  if (!scanned->has_value()) {
    // Input is limited.
    Require(bytes.size() < kTunnelPreambleBytes);
    const std::string rest(kTunnelPreambleBytes - bytes.size(), 'a');
    Require(!ScanTunnelPreamble(std::string(bytes) + rest).ok());
    return;
  }
  // There is one encoding, and no byte after it is read.
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
