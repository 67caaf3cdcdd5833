#include "backend/notifications/delivery/notifications_config.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/notifications/delivery/mail_address.h"

namespace carme::backend {
namespace {

constexpr int kMaxPerHour = 1000;

// "host", "host:port", "[::1]:port": without a path, a user or other parts.
bool IsHostAndPort(absl::string_view text, bool needs_port) {
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  const bool has_port = colon != absl::string_view::npos &&
                        (bracket == absl::string_view::npos || colon > bracket);
  int port = 0;
  if (has_port && (!absl::SimpleAtoi(text.substr(colon + 1), &port) ||
                   port < 1 || port > 65535)) {
    return false;
  }
  const absl::string_view host = text.substr(0, has_port ? colon : text.size());
  const bool literal = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  return (has_port || !needs_port) && !host.empty() &&
         std::all_of(host.begin(), host.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '.' ||
                  (literal && (c == '[' || c == ']' || c == ':'));
         });
}

bool IsThisHost(absl::string_view place) {
  for (const char* host : {"localhost", "127.0.0.1", "[::1]"}) {
    if (place == host || absl::StartsWith(place, absl::StrCat(host, ":"))) {
      return true;
    }
  }
  return false;
}

void ReadMail(ConfigTable table, MailConfig* mail) {
  table.Read("server", &mail->server);
  table.Read("ca_file", &mail->ca_file);
  table.Read("plain", &mail->plain);
  table.Read("user", &mail->user);
  table.Read("password_file", &mail->password_file);
  table.Read("from", &mail->from);
  table.Read("per_hour", &mail->per_hour, Range(1, kMaxPerHour));
  if (mail->server.empty()) return;
  absl::string_view place = mail->server;
  if ((!absl::ConsumePrefix(&place, "smtp://") &&
       !absl::ConsumePrefix(&place, "smtps://")) ||
      !IsHostAndPort(place, /*needs_port=*/false)) {
    table.Refuse("server",
                 "expected smtp://host, smtps://host, or with :port behind");
  }
  if (mail->plain &&
      (absl::StartsWith(mail->server, "smtps:") || !IsThisHost(place))) {
    table.Refuse("plain",
                 "expected false, but for smtp:// to localhost, 127.0.0.1 or "
                 "[::1]");
  }
  if (!IsMailAddress(mail->from)) {
    table.Refuse("from", absl::StrCat("\"", mail->from,
                                      "\" is not a plain mail address"));
  }
  if (mail->user.empty() != mail->password_file.empty()) {
    table.Refuse("user", "and \"password_file\" go together");
  }
}

void ReadWebhooks(ConfigTable table, WebhookConfig* webhooks) {
  std::vector<std::string> refused;
  table.Read("offered", &webhooks->offered);
  table.Read("ca_file", &webhooks->ca_file);
  table.Read("internal", &webhooks->rules.internal);
  table.Read("denied_networks", &refused);
  table.Read("per_hour", &webhooks->per_hour, Range(1, kMaxPerHour));
  for (const std::string& place : webhooks->rules.internal) {
    if (IsHostAndPort(place, /*needs_port=*/true)) continue;
    table.Refuse("internal", absl::StrCat("\"", place,
                                          "\": expected host:port in small "
                                          "letters"));
  }
  for (const std::string& text : refused) {
    const std::optional<Network> network = ParseNetwork(text);
    if (network) {
      webhooks->rules.denied.push_back(*network);
    } else {
      table.Refuse("denied_networks",
                   absl::StrCat("\"", text,
                                "\": expected a network such as "
                                "192.0.2.0/24"));
    }
  }
}

}  // namespace

void ReadNotificationsConfig(ConfigTable root, NotificationsConfig* config) {
  ReadMail(root.Table("mail"), &config->mail);
  ReadWebhooks(root.Table("webhooks"), &config->webhooks);
}

}  // namespace carme::backend
