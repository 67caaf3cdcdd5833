#include "frontend/http/portal_origin.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace carme::frontend {
namespace {

constexpr std::string_view kScheme = "https://";
constexpr std::string_view kDefaultPort = ":443";

bool IsPort(const std::string& text) {
  int port = 0;
  return absl::SimpleAtoi(text, &port) && port >= 1 && port <= 65535 &&
         absl::StrCat(port) == text;
}

}  // namespace

std::optional<PortalOrigin> ParsePortalOrigin(std::string_view url) {
  std::string text(url);
  absl::AsciiStrToLower(&text);
  if (!text.starts_with(kScheme)) return std::nullopt;
  std::string host = text.substr(kScheme.size());
  if (host.ends_with(kDefaultPort)) {
    host.resize(host.size() - kDefaultPort.size());
  }
  const size_t colon = host.find(':');
  const std::string name = host.substr(0, colon);
  const bool good = !name.empty() && name.front() != '.' &&
                    name.front() != '-' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return absl::ascii_isalnum(c) || c == '.' || c == '-';
                    });
  if (!good) return std::nullopt;
  if (colon != std::string::npos && !IsPort(host.substr(colon + 1))) {
    return std::nullopt;
  }
  return PortalOrigin{.origin = absl::StrCat(std::string(kScheme), host),
                      .host = host};
}

bool IsInDomain(std::string_view url, std::string_view domain) {
  const size_t path = url.find_first_of("/?#", kScheme.size());
  const std::optional<PortalOrigin> origin =
      url.size() < kScheme.size() ? std::nullopt
                                  : ParsePortalOrigin(url.substr(0, path));
  if (!origin) return false;
  return origin->host == domain ||
         origin->host.ends_with(absl::StrCat(".", std::string(domain)));
}

}  // namespace carme::frontend
