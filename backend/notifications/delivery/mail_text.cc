#include "backend/notifications/delivery/mail_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/notifications/delivery/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestSubject = 160;  // bytes
constexpr size_t kLongestName = 80;
constexpr size_t kLineWidth = 76;
// The bytes of text in one encoded word, so that a header line with it has at
// most 76 characters (RFC 2047, section 2).
constexpr size_t kWordBytes = 39;

std::string Base64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

// Always encoded, so that a text cannot be parsed as structure.
std::string EncodedWords(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    size_t size = std::min(kWordBytes, text.size());
    // Never within a character (section 5).
    if (size < text.size()) size -= CutOffBehind(text.substr(0, size));
    absl::StrAppend(&words, words.empty() ? "" : "\r\n ", "=?UTF-8?B?",
                    Base64(text.substr(0, size)), "?=");
    text.remove_prefix(size);
  }
  return words;
}

std::string Mailbox(const std::string& name, const std::string& address) {
  const std::string shown = Readable(name, kLongestName);
  if (shown.empty()) return address;
  return absl::StrCat(EncodedWords(shown), "\r\n <", address, ">");
}

std::string SubjectOf(const OutboundMessage& message) {
  if (message.events.size() == 1) {
    return FormatMessage(
        delivery_messages::kMailSubject,
        {{"text", Readable(message.events[0].text, kLongestSubject)}});
  }
  return FormatMessage(delivery_messages::kMailSubjectOfMany,
                       {{"count", message.events.size()}});
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
}

std::string BodyOf(const MailHead& head, const OutboundMessage& message) {
  std::string body;
  for (const MessageEvent& event : message.events) {
    absl::StrAppend(&body, TimeText(event.at), "\r\n", event.text, "\r\n\r\n");
  }
  absl::StrAppend(&body, FormatMessage(delivery_messages::kMailFooter), "\r\n",
                  head.portal_url, "/#/account/notifications\r\n");
  return body;
}

// As base64: every mail server passes it on, with any bytes and lines of any
// length.
std::string EncodedBody(const std::string& body) {
  const std::string text = Base64(body);
  std::string lines;
  for (size_t at = 0; at < text.size(); at += kLineWidth) {
    absl::StrAppend(&lines, text.substr(at, kLineWidth), "\r\n");
  }
  return lines;
}

}  // namespace

std::string MessageIdOf(const MailHead& head, const OutboundMessage& message) {
  return absl::StrCat("<carme.mail.", message.id, ".",
                      absl::ToUnixMicros(message.at), "@",
                      head.from.substr(head.from.rfind('@') + 1), ">");
}

std::string MailText(const MailHead& head, const OutboundMessage& message) {
  return absl::StrCat(
      "From: ", Mailbox(head.from_name, head.from), "\r\n",
      "To: ", Mailbox(head.to_name, head.to), "\r\n",
      "Subject: ", EncodedWords(SubjectOf(message)), "\r\n", "Date: ",
      absl::FormatTime("%a, %d %b %Y %H:%M:%S +0000", head.now,
                       absl::UTCTimeZone()),
      "\r\n", "Message-ID: ", MessageIdOf(head, message), "\r\n",
      // Prevents automatic replies (RFC 3834).
      "Auto-Submitted: auto-generated\r\n", "MIME-Version: 1.0\r\n",
      "Content-Type: text/plain; charset=utf-8\r\n",
      "Content-Transfer-Encoding: base64\r\n", "\r\n",
      EncodedBody(BodyOf(head, message)));
}

}  // namespace carme::backend
