#include "proxy/local_reply/https_redirect.h"

#include <string_view>

#include "common/monitoring/admin_http.h"

namespace carme::proxy {
namespace {

// Reserved for the proxy itself.
constexpr std::string_view kReserved = "/.carme/";

}  // namespace

std::string HttpsRedirectResponse(const ScanResult& scan,
                                  const RequestHead& head,
                                  const VirtualHosts& hosts) {
  if (scan.state != ScanState::kDone) return RejectionResponse(scan);
  std::string location = hosts.HttpsOrigin(head.host);
  if (location.empty()) {
    return TextResponse(
        "421 Misdirected Request", "",
        "This server does not serve the requested host name.\n");
  }
  // The request was sent in the clear: its author must notice that.
  if (head.method != "GET" && head.method != "HEAD") {
    return TextResponse("403 Forbidden", "", "Use https.\n");
  }
  const size_t prefix = hosts.PrefixOf(head.target).size();
  if (head.target.substr(prefix, kReserved.size()) == kReserved) {
    location = hosts.PortalUrl();
  } else {
    location += head.target;
  }
  return TextResponse("308 Permanent Redirect",
                      "Location: " + location + "\r\n", "");
}

}  // namespace carme::proxy
