#include "backend/notifications/delivery/smtp_sender.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/notifications/delivery/messages.h"
#include "backend/notifications/delivery/transfer.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

// The part that is not sent yet.
size_t ReadMessage(char* buffer, size_t size, size_t count, void* left) {
  std::string_view& text = *static_cast<std::string_view*>(left);
  const size_t taken = std::min(size * count, text.size());
  std::memcpy(buffer, text.data(), taken);
  text.remove_prefix(taken);
  return taken;
}

// A 5xx response (RFC 5321) to RCPT concerns the recipient. A 5xx response to
// another command concerns the site's settings, so the message is retried.
bool IsAboutRecipient(const Transfer::Result& result) {
  return absl::StartsWith(result.error, "RCPT failed: 5");
}

// How old an observation of the mail server may be.
constexpr absl::Duration kObservedEvery = absl::Minutes(5);
constexpr Transfer::Limits kProbeLimits = {.connect = absl::Seconds(5),
                                           .whole = absl::Seconds(10)};

}  // namespace

void SmtpSender::SetUp(Transfer* transfer) const {
  CURL* const handle = transfer->handle();
  curl_easy_setopt(handle, CURLOPT_USE_SSL,
                   long{config_.plain ? CURLUSESSL_NONE : CURLUSESSL_ALL});
  if (!config_.ca_file.empty()) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, config_.ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  }
  if (!config_.user.empty()) {
    curl_easy_setopt(handle, CURLOPT_USERNAME, config_.user.c_str());
    curl_easy_setopt(handle, CURLOPT_PASSWORD, password_.c_str());
  }
}

void SmtpSender::ProbeIdle() const {
  if (!availability_.IsStale(absl::Now(), kObservedEvery)) return;
  Transfer transfer(config_.server, "smtp,smtps", kProbeLimits, stopping_);
  SetUp(&transfer);
  curl_easy_setopt(transfer.handle(), CURLOPT_CUSTOMREQUEST, "NOOP");
  curl_easy_setopt(transfer.handle(), CURLOPT_NOBODY, 1L);
  const Transfer::Result result = transfer.Run();
  if (result.stopped) return;
  availability_.Observe(
      result.code == CURLE_OK
          ? absl::OkStatus()
          : absl::UnavailableError(PlainText(result.error, 200)),
      absl::Now());
}

absl::Status SmtpSender::Send(const std::string& to,
                              const std::string& text) const {
  Transfer transfer(config_.server, "smtp,smtps", {}, stopping_);
  SetUp(&transfer);
  CURL* const handle = transfer.handle();
  const std::string from = absl::StrCat("<", config_.from, ">");
  curl_easy_setopt(handle, CURLOPT_MAIL_FROM, from.c_str());
  transfer.Add(CURLOPT_MAIL_RCPT, absl::StrCat("<", to, ">"));
  std::string_view left = text;
  curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(handle, CURLOPT_READFUNCTION, &ReadMessage);
  curl_easy_setopt(handle, CURLOPT_READDATA, &left);
  const Transfer::Result result = transfer.Run();
  if (result.stopped) return absl::CancelledError("the program stops");
  const bool works = result.code == CURLE_OK || IsAboutRecipient(result);
  availability_.Observe(
      works ? absl::OkStatus()
            : absl::UnavailableError(PlainText(result.error, 200)),
      absl::Now());
  if (result.code == CURLE_OK) return absl::OkStatus();
  LogWarning("e-mail rejected", {{"answer", result.response_code},
                                 {"error", PlainText(result.error, 200)}});
  if (IsAboutRecipient(result)) {
    return MakeError(delivery_messages::kMailAddressRejected);
  }
  return MakeError(delivery_messages::kMailNotAccepted);
}

}  // namespace carme::backend
