#include "backend/notifications/delivery/mail_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "backend/notifications/delivery/mail_address.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
const MailHead kHead = {.from = "carme@example.org",
                        .from_name = "Carme",
                        .to = "ada@example.org",
                        .to_name = "Ada",
                        .portal_url = "https://carme.example.org",
                        .now = kNow};

OutboundMessage MessageOf(const std::vector<std::string>& texts) {
  OutboundMessage message{.channel = v1::CHANNEL_MAIL,
                          .id = 7,
                          .at = kNow,
                          .uid = Uid(20001),
                          .attempt = 1,
                          .events = {}};
  for (const std::string& text : texts) {
    message.events.push_back({.id = 7,
                              .at = kNow,
                              .kind = v1::NOTIFICATION_KIND_JOB_FAILED,
                              .subject = "job",
                              .text = text});
  }
  return message;
}

struct Halves {
  std::string head;
  std::string body;  // decoded
};
Halves Split(const std::string& mail) {
  const size_t end = mail.find("\r\n\r\n");
  REQUIRE(end != std::string::npos);
  std::string base64 = mail.substr(end + 4);
  std::erase_if(base64, [](char c) { return c == '\r' || c == '\n'; });
  Halves halves{.head = mail.substr(0, end), .body = ""};
  REQUIRE(absl::Base64Unescape(base64, &halves.body));
  return halves;
}

TEST_CASE("mail address: only plain ones are written to", "[backend]") {
  for (const char* bad : {"",
                          "ada",
                          "@example.org",
                          "ada@",
                          "ada@@example.org",
                          "a b@example.org",
                          "ada@exa mple.org",
                          "ada@example.org\r\nBcc: eve@example.org",
                          "ada@example.org\n",
                          "ada@example.org>",
                          "<ada@example.org>",
                          "ada@example.org,eve@example.org",
                          "\"ada\"@example.org",
                          "ada(x)@example.org",
                          ".ada@example.org",
                          "ada.@example.org",
                          "a..b@example.org",
                          "ada@.org",
                          "ada@example..org",
                          "ada@-a.org",
                          "ada@[127.0.0.1]",
                          "-oX@example.org",
                          "ada@example.org:25",
                          "ädä@example.org",
                          "ada@exämple.org",
                          "ada;eve@example.org",
                          "ada\\@example.org"}) {
    CAPTURE(bad);
    CHECK_FALSE(IsMailAddress(bad));
  }
  CHECK_FALSE(IsMailAddress(std::string("ada\0@example.org", 16)));
  CHECK_FALSE(IsMailAddress(std::string(65, 'a') + "@example.org"));
  CHECK_FALSE(IsMailAddress("a@" + std::string(64, 'b') + ".org"));
  for (const char* good : {"ada@example.org", "a.b+c_d-e@x", "o'neil@a-b.c-d.e",
                           "1@2.3", "ADA@EXAMPLE.ORG"}) {
    CAPTURE(good);
    CHECK(IsMailAddress(good));
  }
}

TEST_CASE("mail: no text gets into its head", "[backend]") {
  MailHead head = kHead;
  head.to_name = "Ada\r\nBcc: eve@example.org";
  head.from_name = "Carme\nX-Evil: 1";
  const Halves mail = Split(
      MailText(head, MessageOf({"gone\r\n\r\n<script>\r\nBcc: eve@a.b"})));
  CHECK(mail.head.find("Bcc") == std::string::npos);
  CHECK(mail.head.find("Evil") == std::string::npos);
  CHECK(mail.head.find("eve@") == std::string::npos);
}

TEST_CASE("mail: each line of it is short and ASCII", "[backend]") {
  std::string text = "Your job \"";
  for (int i = 0; i < 60; ++i) text += "Größe 😀 ";
  const std::string mail = MailText(kHead, MessageOf({text}));
  for (const absl::string_view line : absl::StrSplit(mail, "\r\n")) {
    CHECK(line.size() <= 76);
    for (const char c : line) CHECK((c >= ' ' && c < 0x7f));
  }
  CHECK(absl::StrContains(Split(mail).body, text));
}

TEST_CASE("mail: encodes a subject in whole characters", "[backend]") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "ä😀";
  const Halves mail = Split(MailText(kHead, MessageOf({text})));
  std::string subject;
  for (const absl::string_view word : absl::StrSplit(
           mail.head.substr(mail.head.find("Subject: ") + 9), "\r\n ")) {
    std::string piece;
    const absl::string_view coded = word.substr(0, word.find("\r\n"));
    REQUIRE(absl::StartsWith(coded, "=?UTF-8?B?"));
    REQUIRE(absl::EndsWith(coded, "?="));
    REQUIRE(absl::Base64Unescape(coded.substr(10, coded.size() - 12), &piece));
    CHECK((static_cast<unsigned char>(piece[0]) & 0xc0) != 0x80);
    subject += piece;
    if (coded.size() != word.size()) break;
  }
  CHECK(absl::StartsWith(subject, "[Carme] ä😀ä😀"));
}

TEST_CASE("mail: the same message has the same id every time", "[backend]") {
  const OutboundMessage message = MessageOf({"a"});
  OutboundMessage again = message;
  again.attempt = 2;
  MailHead later = kHead;
  later.now += absl::Hours(3);
  CHECK(MessageIdOf(kHead, message) == MessageIdOf(later, again));
  CHECK(MessageIdOf(kHead, message) ==
        "<carme.mail.7.1800000000000000@example.org>");
  // Its first event was forgotten meanwhile.
  again.events[0].at += absl::Hours(1);
  CHECK(MessageIdOf(later, again) == MessageIdOf(kHead, message));
  OutboundMessage other = message;
  other.id = 8;
  CHECK(MessageIdOf(kHead, other) != MessageIdOf(kHead, message));
  const std::string text = MailText(kHead, message);
  CHECK(absl::StrContains(text, "Auto-Submitted: auto-generated\r\n"));
  CHECK(absl::StrContains(text, "Date: Fri, 15 Jan 2027 08:00:00 +0000\r\n"));
}

TEST_CASE("mail: several events are one mail that has each", "[backend]") {
  const Halves mail = Split(MailText(kHead, MessageOf({"one", "two"})));
  CHECK(absl::StrContains(mail.body, "2027-01-15 08:00 UTC\r\none\r\n"));
  CHECK(absl::StrContains(mail.body, "two\r\n"));
  CHECK(absl::StrContains(mail.body,
                          "https://carme.example.org/#/account/notifications"));
}

}  // namespace
}  // namespace carme::backend
