// What the proxy reads before it has authenticated a client: PROXY headers,
// Forwarded, values for the access log, lists of networks, OCSP responses; and
// their invariants.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/pki/ocsp_response.h"
#include "proxy/downstream/proxy_protocol.h"
#include "proxy/http/forwarded.h"
#include "proxy/local_reply/https_redirect.h"
#include "proxy/telemetry/access_log.h"

namespace carme::proxy {
namespace {

void Require(bool good) {
  if (!good) std::abort();
}

// The result does not depend on fragmentation, and input is limited.
void CheckProxyHeader(std::string_view bytes) {
  const ProxyHeader whole = ScanProxyHeader(bytes);
  if (whole.state == ScanState::kMore) {
    Require(bytes.size() < kMaxProxyHeaderBytes);
    return;
  }
  if (whole.state == ScanState::kDone) {
    Require(whole.bytes > 0 && whole.bytes <= bytes.size());
    const ProxyHeader alone = ScanProxyHeader(bytes.substr(0, whole.bytes));
    Require(alone.state == ScanState::kDone && alone.bytes == whole.bytes);
    Require(alone.client == whole.client);
    for (size_t size : {whole.bytes / 2, whole.bytes - 1}) {
      Require(ScanProxyHeader(bytes.substr(0, size)).state == ScanState::kMore);
    }
  } else {
    const std::string longer = std::string(bytes) + "\r\n";
    Require(ScanProxyHeader(longer).state == ScanState::kRefused);
  }
}

// The element that the load balancer appends decides, whatever the client sends
// before it, or the field is invalid.
void CheckForwarded(std::string_view bytes) {
  static const net::Networks trusted = *net::Networks::Parse({"10.0.0.0/8"});
  std::string value(bytes);
  std::replace_if(
      value.begin(), value.end(),
      [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; },
      '?');
  for (const char* between : {", ", "\r\nForwarded: "}) {
    const std::string text =
        "GET / HTTP/1.1\r\nHost: h\r\nForwarded: " + value + between +
        "for=192.0.2.7\r\n\r\n";
    RequestHead head;
    if (ScanRequest(text, HeadLimits(), &head).state != ScanState::kDone) {
      return;
    }
    const auto client = ForwardedClient(head, trusted);
    if (!client.ok()) continue;
    Require(client->has_value() && (*client)->Ip() == "192.0.2.7");
  }
}

void CheckLogValue(std::string_view bytes) {
  std::string out = "path=";
  AppendLogValue(bytes, 200, &out);
  Require(out.size() <= 205 && out.size() > 5);
  for (size_t i = 5; i < out.size(); ++i) {
    Require(out[i] > ' ' && out[i] < 0x7f && out[i] != '"');
  }
}

// A redirect leads only to one of the site's own hosts.
void CheckPlain(std::string_view bytes) {
  static const VirtualHosts hosts =
      *VirtualHosts::Create("p.example", "jobs.example");
  RequestHead head;
  const ScanResult scan = ScanRequest(bytes, HeadLimits(), &head);
  if (scan.state == ScanState::kMore) return;
  const std::string answer = HttpsRedirectResponse(scan, head, hosts);
  ResponseHead again;
  HeadLimits wide;
  wide.max_bytes *= 2;
  const ScanResult read = ScanResponse(answer, wide, &again);
  Require(read.state == ScanState::kDone);
  Require(again.length == answer.size() - read.head_bytes);
  for (const Field& field : again.fields) {
    if (field.name != "Location") continue;
    const std::string_view rest = field.value.substr(8);
    const std::string_view host = rest.substr(0, rest.find('/'));
    Require(field.value.substr(0, 8) == "https://");
    Require(host == "p.example" ||
            hosts.Match(host, "/").kind == HostKind::kJob);
  }
}

}  // namespace
}  // namespace carme::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  carme::proxy::CheckProxyHeader(bytes);
  carme::proxy::CheckForwarded(bytes);
  carme::proxy::CheckLogValue(bytes);
  carme::proxy::CheckPlain(bytes);
  carme::net::Networks::Parse({std::string(bytes)}).status().IgnoreError();
  carme::ReadOcspResponse(std::string(bytes), "", absl::UnixEpoch())
      .status()
      .IgnoreError();
  return 0;
}
