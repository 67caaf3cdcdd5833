#include "backend/notifications/delivery/webhook_body.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/encoding.h"

namespace carme::backend {
namespace {

absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

// RFC 8259, section 7. The texts are UTF-8.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
      quoted.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<unsigned>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

const char* WordOf(EventKind kind) {
  switch (kind) {
    case v1::NOTIFICATION_KIND_JOB_STARTED:
      return "job_started";
    case v1::NOTIFICATION_KIND_JOB_ENDS_SOON:
      return "job_ends_soon";
    case v1::NOTIFICATION_KIND_JOB_ENDED:
      return "job_ended";
    case v1::NOTIFICATION_KIND_JOB_FAILED:
      return "job_failed";
    case v1::NOTIFICATION_KIND_JOB_IDLE:
      return "job_idle";
    case v1::NOTIFICATION_KIND_PROJECT:
      return "project";
    case v1::NOTIFICATION_KIND_RESERVATION:
      return "reservation";
    case v1::NOTIFICATION_KIND_QUOTA:
      return "quota";
    case v1::NOTIFICATION_KIND_ACCOUNT:
      return "account";
    case v1::NOTIFICATION_KIND_NODE:
      return "node";
    case v1::NOTIFICATION_KIND_TEST:
      return "test";
    default:
      return "other";
  }
}

}  // namespace

std::string DeliveryIdOf(const OutboundMessage& message) {
  return absl::StrCat(message.id, ".", absl::ToUnixMicros(message.at));
}

std::string WebhookBody(const OutboundMessage& message) {
  std::string rows;
  for (const MessageEvent& event : message.events) {
    absl::StrAppend(
        &rows, rows.empty() ? "" : ",", "{\"id\":\"", event.id, "\",\"at\":\"",
        absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", event.at, absl::UTCTimeZone()),
        "\",\"kind\":\"", WordOf(event.kind),
        "\",\"subject\":", Quoted(event.subject),
        ",\"text\":", Quoted(event.text), "}");
  }
  return absl::StrCat("{\"delivery\":\"", DeliveryIdOf(message),
                      "\",\"notifications\":[", rows, "]}");
}

std::string SignatureOf(std::string_view secret, absl::Time now,
                        std::string_view delivery, std::string_view body) {
  const std::string signed_text = absl::StrCat(absl::ToUnixSeconds(now), ".",
                                               View(delivery), ".", View(body));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(signed_text.data()),
       signed_text.size(), digest.data(), &size);
  return absl::StrCat(
      "v1=", HexEncode({reinterpret_cast<const char*>(digest.data()), size}));
}

}  // namespace carme::backend
