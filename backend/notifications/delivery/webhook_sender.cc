#include "backend/notifications/delivery/webhook_sender.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"
#include "backend/notifications/delivery/messages.h"
#include "backend/notifications/delivery/transfer.h"
#include "backend/notifications/delivery/webhook_body.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr long kGone = 410;

struct AddressFilter {
  const WebhookRules* rules;
  bool internal;
  bool refused = false;
};

// libcurl calls this for a socket before it connects to the address.
curl_socket_t OpenSocket(void* self, curlsocktype purpose,
                         curl_sockaddr* address) {
  AddressFilter& filter = *static_cast<AddressFilter*>(self);
  if (purpose != CURLSOCKTYPE_IPCXN ||
      !MayReach(&address->addr, filter.internal, *filter.rules)) {
    filter.refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC,
                address->protocol);
}

absl::Status Judge(const Transfer::Result& result,
                   const AddressFilter& filter) {
  if (result.stopped) return absl::CancelledError("the program stops");
  // What follows a 2xx status is ignored, also the way in which it ends: a
  // server may close a connection of TLS without notice.
  if (result.response_code >= 200 && result.response_code < 300) {
    return absl::OkStatus();
  }
  LogInfo("webhook failed", {{"http_status", result.response_code},
                             {"error", PlainText(result.error, 200)}});
  if (filter.refused) {
    return MakeError(delivery_messages::kWebhookUnreachable);
  }
  if (result.response_code == kGone) {
    return MakeError(delivery_messages::kWebhookGone);
  }
  if (result.response_code != 0) {
    return MakeError(delivery_messages::kWebhookFailed,
                     {{"status", result.response_code}});
  }
  return MakeError(delivery_messages::kWebhookUnreachable);
}

}  // namespace

absl::Status WebhookSender::Send(const Webhook& webhook,
                                 const OutboundMessage& message,
                                 absl::Time now) const {
  if (webhook.paused) {
    return MakeError(delivery_messages::kWebhookPaused);
  }
  const absl::StatusOr<WebhookTarget> target =
      ValidateWebhook(webhook.url, config_.rules);
  if (!target.ok()) {
    return absl::FailedPreconditionError(target.status().message());
  }
  Transfer transfer(target->url, target->internal ? "http,https" : "https",
                    {.connect = absl::Seconds(5), .whole = absl::Seconds(10)},
                    stopping_);
  CURL* const handle = transfer.handle();
  if (!config_.ca_file.empty()) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, config_.ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  }
  AddressFilter filter{.rules = &config_.rules, .internal = target->internal};
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &filter);
  const std::string body = WebhookBody(message);
  const std::string delivery = DeliveryIdOf(message);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "carme");
  for (const std::string& line :
       {std::string("Content-Type: application/json"), std::string("Expect:"),
        absl::StrCat("Carme-Delivery: ", delivery),
        absl::StrCat("Carme-Time: ", absl::ToUnixSeconds(now)),
        absl::StrCat("Carme-Signature: ",
                     SignatureOf(webhook.secret, now, delivery, body))}) {
    transfer.Add(CURLOPT_HTTPHEADER, line);
  }
  return Judge(transfer.Run(), filter);
}

}  // namespace carme::backend
