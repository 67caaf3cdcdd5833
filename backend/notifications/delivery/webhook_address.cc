#include "backend/notifications/delivery/webhook_address.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestUrl = 1024;

absl::Status Refuse(absl::string_view found, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("the webhook's address ", found, ": expected ", expected));
}

// Uses libcurl's parser, which also parses the address when the webhook is
// called.
class ParsedUrl {
 public:
  explicit ParsedUrl(const std::string& text)
      : handle_(curl_url(), &curl_url_cleanup),
        good_(handle_ != nullptr &&
              curl_url_set(handle_.get(), CURLUPART_URL, text.c_str(),
                           CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {}
  bool good() const { return good_; }
  std::string Part(CURLUPart part, unsigned flags = 0) const {
    char* text = nullptr;
    if (curl_url_get(handle_.get(), part, &text, flags) != CURLUE_OK) return "";
    std::string copy(text);
    curl_free(text);
    return copy;
  }

 private:
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> handle_;
  const bool good_;
};

bool IsPlain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>';
  });
}

}  // namespace

absl::StatusOr<WebhookTarget> ValidateWebhook(const std::string& url,
                                              const WebhookRules& rules) {
  if (url.empty() || url.size() > kLongestUrl || !IsPlain(url)) {
    return Refuse(
        "is empty, too long or has characters that an address has "
        "not",
        "https://… of at most 1024 ASCII characters");
  }
  const ParsedUrl parsed(url);
  if (!parsed.good()) return Refuse("cannot be read", "https://host/…");
  const std::string scheme =
      absl::AsciiStrToLower(parsed.Part(CURLUPART_SCHEME));
  std::string host = absl::AsciiStrToLower(parsed.Part(CURLUPART_HOST));
  const std::string port = parsed.Part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (host.empty()) return Refuse("has no host", "https://host/…");
  if (!parsed.Part(CURLUPART_USER).empty() ||
      !parsed.Part(CURLUPART_PASSWORD).empty()) {
    return Refuse("has a user or a password", "none");
  }
  if (absl::StrContains(url, '#')) return Refuse("has a fragment", "none");
  const bool internal =
      std::find(rules.internal.begin(), rules.internal.end(),
                absl::StrCat(host, ":", port)) != rules.internal.end();
  if (scheme != "https" && !(internal && scheme == "http")) {
    return Refuse(absl::StrCat("begins with \"", scheme, "\""), "https");
  }
  if (!internal && port != "443") {
    return Refuse(absl::StrCat("has port ", port), "443");
  }
  // A literal address is checked at once.
  if (absl::StartsWith(host, "[")) host = host.substr(1, host.size() - 2);
  const std::optional<Network> literal = ParseNetwork(host);
  if (!internal && literal && !IsPublic(literal->address)) {
    return Refuse("is not one of the internet", "a public one");
  }
  return WebhookTarget{parsed.Part(CURLUPART_URL), host, internal};
}

bool MayReach(const sockaddr* address, bool internal,
              const WebhookRules& rules) {
  const std::optional<RawAddress> raw = RawAddressOf(address);
  if (!raw) return false;
  if (internal) return IsOrdinary(*raw);
  return IsPublic(*raw) &&
         std::none_of(
             rules.denied.begin(), rules.denied.end(),
             [&](const Network& network) { return network.Has(*raw); });
}

}  // namespace carme::backend
