#include "backend/notifications/delivery/webhook_address.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/notifications/delivery/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestUrl = 1024;

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
    return MakeError(delivery_messages::kUrlMalformed, {{"max", kLongestUrl}});
  }
  const ParsedUrl parsed(url);
  if (!parsed.good()) return MakeError(delivery_messages::kUrlUnreadable);
  const std::string scheme =
      absl::AsciiStrToLower(parsed.Part(CURLUPART_SCHEME));
  std::string host = absl::AsciiStrToLower(parsed.Part(CURLUPART_HOST));
  const std::string port = parsed.Part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (host.empty()) return MakeError(delivery_messages::kUrlWithoutHost);
  if (!parsed.Part(CURLUPART_USER).empty() ||
      !parsed.Part(CURLUPART_PASSWORD).empty()) {
    return MakeError(delivery_messages::kUrlWithUser);
  }
  if (absl::StrContains(url, '#')) {
    return MakeError(delivery_messages::kUrlWithFragment);
  }
  const bool internal =
      std::find(rules.internal.begin(), rules.internal.end(),
                absl::StrCat(host, ":", port)) != rules.internal.end();
  if (scheme != "https" && !(internal && scheme == "http")) {
    return MakeError(delivery_messages::kUrlScheme, {{"scheme", scheme}});
  }
  if (!internal && port != "443") {
    return MakeError(delivery_messages::kUrlPort, {{"port", port}});
  }
  // A literal address is checked at once.
  if (absl::StartsWith(host, "[")) host = host.substr(1, host.size() - 2);
  const std::optional<Network> literal = ParseNetwork(host);
  if (!internal && literal && !IsPublic(literal->address)) {
    return MakeError(delivery_messages::kUrlNotPublic);
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
