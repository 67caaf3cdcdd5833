#include "backend/notifications/delivery/webhook_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "backend/notifications/delivery/webhook_body.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

WebhookRules Rules() {
  return {.internal = {"chat.site.example:8065", "127.0.0.1:9000"},
          .denied = {ParseNetwork("192.0.4.0/24").value(),
                     ParseNetwork("2001:4ca0::/32").value()}};
}

bool Reaches(const std::string& literal, bool internal = false) {
  sockaddr_storage storage{};
  auto* const four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, literal.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
  } else {
    REQUIRE(inet_pton(AF_INET6, literal.c_str(), &six->sin6_addr) == 1);
    six->sin6_family = AF_INET6;
  }
  return MayReach(reinterpret_cast<const sockaddr*>(&storage), internal,
                  Rules());
}

TEST_CASE("webhook: an address that may be internal is refused", "[backend]") {
  for (const char* bad :
       {"", "https://", "example.org/x", "http://example.org/",
        "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/",
        "https://example.org:8443/", "https://example.org:22/",
        "https://user@example.org/", "https://user:word@example.org/",
        "https://example.org@evil.example/", "https://example.org/#x",
        "https://example.org/a b", "https://example.org/\r\nX: y",
        "https://example.org\\@evil.example/", "https://exämple.org/",
        "https://127.0.0.1/", "https://127.1/", "https://2130706433/",
        "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://0/",
        "https://10.1.2.3/", "https://192.168.1.1/", "https://172.16.0.1/",
        "https://169.254.169.254/latest/meta-data/", "https://100.64.0.1/",
        "https://[::1]/", "https://[::]/", "https://[fe80::1]/",
        "https://[fc00::1]/", "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
        // of the site's own, by another port or name
        "http://chat.site.example:8066/", "http://chat.site.example/",
        "http://127.0.0.1:9001/", "http://127.0.0.2:9000/"}) {
    CAPTURE(bad);
    const auto target = ValidateWebhook(bad, Rules());
    CHECK(absl::IsInvalidArgument(target.status()));
  }
  CHECK_FALSE(
      ValidateWebhook("https://a.example/" + std::string(1024, 'a'), Rules())
          .ok());
}

TEST_CASE("webhook: accepts https addresses and addresses of the site",
          "[backend]") {
  for (const char* good :
       {"https://hooks.example.org/services/a?b=c", "https://EXAMPLE.org:443/",
        "https://example.org/@ada", "https://8.8.8.8/x"}) {
    CAPTURE(good);
    const auto target = ValidateWebhook(good, Rules());
    REQUIRE_THAT(target, IsOk());
    CHECK_FALSE(target->internal);
  }
  for (const char* own :
       {"http://chat.site.example:8065/hooks/x",
        "https://chat.site.example:8065/hooks/x", "http://127.0.0.1:9000/"}) {
    CAPTURE(own);
    const auto target = ValidateWebhook(own, Rules());
    REQUIRE_THAT(target, IsOk());
    CHECK(target->internal);
  }
}

TEST_CASE("webhook: checks the addresses that a name resolves to",
          "[backend]") {
  for (const char* bad : {"127.0.0.1",
                          "127.255.255.254",
                          "10.0.0.1",
                          "172.31.255.255",
                          "192.168.0.1",
                          "169.254.169.254",
                          "100.127.0.1",
                          "0.0.0.0",
                          "192.0.0.1",
                          "192.0.2.1",
                          "198.18.0.1",
                          "198.51.100.7",
                          "203.0.113.9",
                          "224.0.0.1",
                          "239.1.2.3",
                          "255.255.255.255",
                          "192.0.4.77",
                          "::",
                          "::1",
                          "::ffff:10.0.0.1",
                          "::ffff:127.0.0.1",
                          "64:ff9b::a00:1",
                          "fe80::1",
                          "fc00::1",
                          "fd12::1",
                          "ff02::1",
                          "2001:db8::1",
                          "2001::1",
                          "2002:a00:1::",
                          "2001:4ca0::1",
                          "100::1",
                          "fec0::1",
                          "5f00::1",
                          "::8.8.8.8"}) {
    CAPTURE(bad);
    CHECK_FALSE(Reaches(bad));
  }
  for (const char* good : {"8.8.8.8", "172.32.0.1", "11.0.0.1", "192.0.5.1",
                           "2a00:1450::1", "2606:4700::1"}) {
    CAPTURE(good);
    CHECK(Reaches(good));
  }
}

TEST_CASE("webhook: the site's may be private, except metadata services",
          "[backend]") {
  for (const char* good : {"127.0.0.1", "10.0.0.1", "fc00::1", "192.0.4.1"}) {
    CAPTURE(good);
    CHECK(Reaches(good, /*internal=*/true));
  }
  for (const char* bad : {"169.254.169.254", "fe80::1", "fd00:ec2::254",
                          "224.0.0.1", "0.0.0.0", "::", "255.255.255.255"}) {
    CAPTURE(bad);
    CHECK_FALSE(Reaches(bad, /*internal=*/true));
  }
}

TEST_CASE("network: refuses an invalid network", "[backend]") {
  for (const char* bad :
       {"", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "::/129", "2001:db8::1/32",
        "a/8", "10.0.0.0/", "10.0.0.0/-1"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseNetwork(bad).has_value());
  }
}

TEST_CASE("webhook: signs time, id and body", "[backend]") {
  // As `printf %s '1800000000.7.1.{}' | openssl dgst -sha256 -hmac secret`.
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  const std::string signature = SignatureOf("secret", now, "7.1", "{}");
  CHECK(signature ==
        "v1=26673a390b30ee8e423b777c103946d0bcc0222c4f6f3b1155be501454856af8");
  CHECK(SignatureOf("secret", now, "7.1", "{} ") != signature);
  CHECK(SignatureOf("secret", now, "7.2", "{}") != signature);
  CHECK(SignatureOf("secre", now, "7.1", "{}") != signature);
  CHECK(SignatureOf("secret", now + absl::Seconds(1), "7.1", "{}") !=
        signature);
}

TEST_CASE("webhook: its body is JSON for any text", "[backend]") {
  const OutboundMessage message{
      .channel = v1::CHANNEL_WEBHOOK,
      .id = 7,
      .at = absl::FromUnixSeconds(1'800'000'000),
      .uid = Uid(20001),
      .attempt = 1,
      .events = {{.id = 7,
                  .at = absl::FromUnixSeconds(1'800'000'000),
                  .kind = v1::NOTIFICATION_KIND_JOB_ENDED,
                  .subject = "a",
                  .text = "\"Größe\\\" \x01, \"kind\": \"account\""}}};
  CHECK(WebhookBody(message) ==
        "{\"delivery\":\"7.1800000000000000\",\"notifications\":[{\"id\":\"7\","
        "\"at\":\"2027-01-15T08:00:00Z\",\"kind\":\"job_ended\",\"subject\":"
        "\"a\",\"text\":\"\\\"Größe\\\\\\\" \\u0001, \\\"kind\\\": "
        "\\\"account\\\"\"}]}");
}

}  // namespace
}  // namespace carme::backend
