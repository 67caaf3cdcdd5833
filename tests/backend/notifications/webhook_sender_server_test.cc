// Webhooks against a real HTTP server: what is called, how, and what is not.
#include <stdlib.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/notifications/delivery/webhook_body.h"
#include "backend/notifications/delivery/webhook_sender.h"
#include "common/log.h"
#include "tests/backend/notifications/listening_program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_authority.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
const OutboundMessage kParcel = {
    .channel = v1::CHANNEL_WEBHOOK,
    .id = 7,
    .at = kNow,
    .uid = Uid(20001),
    .attempt = 1,
    .events = {{.id = 7,
                .at = kNow,
                .kind = v1::NOTIFICATION_KIND_JOB_FAILED,
                .subject = "job",
                .text = "it failed"}}};

struct Site {
  std::atomic<bool> stopping = false;
  WebhookConfig config{.offered = true, .ca_file = "", .rules = {}};

  Site() { SetLogLevel(LogLevel::kError); }
  // The receiver is one of the site's own.
  std::string UrlOf(const ListeningProgram& receiver,
                    const std::string& scheme = "http") {
    const std::string place = absl::StrCat("localhost:", receiver.port());
    config.rules.internal.push_back(place);
    return absl::StrCat(scheme, "://", place, "/hook?x=1");
  }
  absl::Status Send(const std::string& url, bool paused = false) {
    return WebhookSender(config, &stopping)
        .Send({url, "secret", paused}, kParcel, kNow);
  }
};

TEST_CASE("webhook: does not call this host by default", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  const std::string url = site.UrlOf(receiver);
  site.config.rules.internal.clear();
  CHECK(absl::IsFailedPrecondition(site.Send(url)));
  CHECK(receiver.Got().empty());
}

// The name passes for a stranger's until it is looked up; a server with a good
// certificate waits there.
TEST_CASE("webhook: a name that leads to this host is not called",
          "[backend]") {
  Site site;
  TestAuthority authority;
  const IssuedCertificate own = authority.Issue("hook", "DNS:localhost");
  site.config.ca_file = authority.ca_file();
  const ListeningProgram receiver(
      CARME_HOOK_RECEIVER, {"--listen", "127.0.0.1:443", "--certificate",
                            own.certificate_file, "--key", own.key_file});
  const absl::Status refused = site.Send("https://localhost/");
  CHECK(absl::IsUnavailable(refused));
  CHECK(refused.message() == "your webhook could not be reached");
  CHECK(receiver.Got().empty());
  // It is that alone which keeps it away.
  site.config.rules.internal = {"localhost:443"};
  CHECK_THAT(site.Send("https://localhost/"), IsOk());
}

TEST_CASE("webhook: ignores a proxy of the environment", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  const ListeningProgram proxy(CARME_HOOK_RECEIVER, {});
  const std::string place = absl::StrCat("http://127.0.0.1:", proxy.port());
  setenv("http_proxy", place.c_str(), 1);
  setenv("https_proxy", place.c_str(), 1);
  const absl::Status sent = site.Send(site.UrlOf(receiver));
  unsetenv("http_proxy");
  unsetenv("https_proxy");
  CHECK_THAT(sent, IsOk());
  CHECK(receiver.Got().size() == 1);
  CHECK(proxy.Got().empty());
}

TEST_CASE("webhook: a redirect leads nowhere", "[backend]") {
  Site site;
  const ListeningProgram other(CARME_HOOK_RECEIVER, {});
  const ListeningProgram receiver(
      CARME_HOOK_RECEIVER,
      {"--answers", "307", "--location", site.UrlOf(other)});
  CHECK(absl::IsUnavailable(site.Send(site.UrlOf(receiver))));
  CHECK(receiver.Got().size() == 1);
  CHECK(other.Got().empty());
}

TEST_CASE("webhook: the status of the response decides", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER,
                                  {"--answers", "500,404,410,204"});
  const std::string url = site.UrlOf(receiver);
  CHECK(absl::StrContains(site.Send(url).message(), "500"));
  CHECK(absl::IsUnavailable(site.Send(url)));
  CHECK(absl::IsFailedPrecondition(site.Send(url)));
  CHECK_THAT(site.Send(url), IsOk());
  CHECK(absl::IsFailedPrecondition(site.Send(url, /*paused=*/true)));
  CHECK(receiver.Got().size() == 4);
}

TEST_CASE("webhook: an endless response is not read", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER,
                                  {"--answer-bytes", "100000000"});
  CHECK_THAT(site.Send(site.UrlOf(receiver)), IsOk());
}

TEST_CASE("webhook: a server with an untrusted certificate gets nothing",
          "[backend]") {
  Site site;
  TestAuthority authority;
  const IssuedCertificate own = authority.Issue("hook", "DNS:localhost");
  const ListeningProgram receiver(
      CARME_HOOK_RECEIVER,
      {"--certificate", own.certificate_file, "--key", own.key_file});
  const std::string url = site.UrlOf(receiver, "https");
  CHECK(absl::IsUnavailable(site.Send(url)));
  CHECK(receiver.Got().empty());
  site.config.ca_file = authority.ca_file();
  CHECK_THAT(site.Send(url), IsOk());
}

TEST_CASE("webhook: it gets the body with its id and signature", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  REQUIRE_THAT(site.Send(site.UrlOf(receiver)), IsOk());
  const std::string got = receiver.Got().at(0);
  const std::string body = WebhookBody(kParcel);
  CHECK(absl::StartsWith(got, "POST /hook?x=1\n"));
  CHECK(absl::EndsWith(got, body));
  CHECK(absl::StrContains(got, "Content-Type: application/json"));
  CHECK(absl::StrContains(got, "Carme-Delivery: 7.1800000000000000\n"));
  CHECK(absl::StrContains(got, "Carme-Time: 1800000000\n"));
  CHECK(absl::StrContains(
      got, absl::StrCat("Carme-Signature: ",
                        SignatureOf("secret", kNow, "7.1800000000000000", body),
                        "\n")));
}

TEST_CASE("webhook: a program that stops breaks it off", "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  site.stopping = true;
  CHECK(absl::IsCancelled(site.Send(site.UrlOf(receiver))));
}

}  // namespace
}  // namespace carme::backend
