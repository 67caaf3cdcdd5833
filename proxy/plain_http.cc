#include "proxy/plain_http.h"

#include <string_view>

#include "proxy/one_answer.h"

namespace carme::proxy {
namespace {

// Not a path of any app (decide.cc).
constexpr std::string_view kReserved = "/.carme/";

}  // namespace

std::string PlainAnswer(const ScanResult& scan, const RequestHead& head,
                        const Site& site) {
  if (scan.state != ScanState::kDone) return RefusalAnswer(scan);
  std::string location = site.HttpsOrigin(head.host);
  if (location.empty()) {
    return TextAnswer("421 Misdirected Request", "",
                      "This server does not know that host name.\n");
  }
  // What it carried has crossed the network in the clear: whoever wrote the
  // program must see that this does not work.
  if (head.method != "GET" && head.method != "HEAD") {
    return TextAnswer("403 Forbidden", "", "Only by https.\n");
  }
  const size_t prefix = site.PrefixOf(head.target).size();
  if (head.target.substr(prefix, kReserved.size()) == kReserved) {
    location = site.PortalUrl();
  } else {
    location += head.target;
  }
  return TextAnswer("308 Permanent Redirect", "Location: " + location + "\r\n",
                    "");
}

}  // namespace carme::proxy
