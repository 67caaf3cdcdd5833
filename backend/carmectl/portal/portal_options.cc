#include "backend/carmectl/portal/portal_options.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/carmectl/portal/messages.h"
#include "common/file.h"
#include "common/printable.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxCellBytes = 200;

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::string> ReadToken(const std::string& file) {
  if (!file.empty()) return ReadSecretFile(file);
  if (std::string named = Environment("CARME_TOKEN_FILE"); !named.empty()) {
    return ReadSecretFile(named);
  }
  return Environment("CARME_TOKEN");
}

absl::Status Write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0) {
    return absl::OkStatus();
  }
  return MakePlainError(portal_messages::kOutputNotWritten);
}

// Columns that a terminal shows; every character counts as one.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

CLI::App* AddNoun(CLI::App* app, const char* name, const char* about,
                  const char* examples, PortalOptions* options) {
  CLI::App* const noun = app->add_subcommand(name, about);
  noun->require_subcommand(1);
  noun->footer(absl::StrCat("Examples:\n", examples));
  noun->add_option("--portal", options->portal,
                   "the portal's address, https://…")
      ->envname("CARME_PORTAL");
  noun->add_option("--token-file", options->token_file,
                   "a file with an access token that others cannot read "
                   "(or CARME_TOKEN_FILE, CARME_TOKEN)");
  noun->add_option("--ca-file", options->ca_file,
                   "trusted certificate authorities, PEM")
      ->envname("CARME_CA_FILE");
  noun->add_option("--cluster", options->cluster,
                   "one of several clusters of the portal; default: of the "
                   "log-in, and lists of jobs are those of all")
      ->envname("CARME_CLUSTER");
  noun->add_flag("--json", options->json, "print JSON instead of a table");
  return noun;
}

CLI::App* AddVerb(CLI::App* noun, const char* name, const char* about,
                  const PortalOptions* options,
                  std::function<absl::Status()>* chosen, PortalCommand run,
                  int retries) {
  CLI::App* const verb = noun->add_subcommand(name, about);
  verb->fallthrough();  // the noun's options may follow
  verb->callback([options, chosen, run = std::move(run), retries] {
    *chosen = [options, run, retries]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::unique_ptr<PortalClient> client,
                       Connect(*options, retries));
      return run(*client);
    };
  });
  return verb;
}

absl::StatusOr<std::unique_ptr<PortalClient>> Connect(
    const PortalOptions& options, int retries) {
  ASSIGN_OR_RETURN(std::string token, ReadToken(options.token_file));
  return PortalClient::Create({.portal = options.portal,
                               .token = std::move(token),
                               .ca_file = options.ca_file,
                               .cluster = options.cluster,
                               .retries = retries});
}

std::string FormatTable(const TableRows& rows) {
  std::vector<size_t> widths;
  TableRows cells = rows;
  for (std::vector<std::string>& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = row[i].empty() ? "-" : Readable(row[i], kMaxCellBytes);
      widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : cells) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] - WidthOf(row[i]) + 2, ' ');
      }
    }
    text += '\n';
  }
  return text;
}

absl::StatusOr<std::string> FormatJson(
    const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;  // 0 and false, for scripts
  std::string json;
  if (google::protobuf::util::MessageToJsonString(message, &json, options)
          .ok()) {
    return json;
  }
  return absl::InternalError("the response cannot be printed as JSON");
}

absl::Status Print(const PortalOptions& options,
                   const google::protobuf::Message& response,
                   const TableRows& rows) {
  if (!options.json) return Write(FormatTable(rows));
  ASSIGN_OR_RETURN(const std::string json, FormatJson(response));
  return Write(json);
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0) return "-";
  return absl::FormatTime("%Y-%m-%d %H:%M",
                          absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

std::string DurationText(const google::protobuf::Duration& duration) {
  const int64_t minutes = duration.seconds() / 60;
  if (minutes == 0) return "-";
  const std::string clock =
      absl::StrFormat("%02d:%02d", minutes / 60 % 24, minutes % 60);
  return minutes < 24 * 60 ? clock
                           : absl::StrCat(minutes / (24 * 60), "d ", clock);
}

absl::StatusOr<absl::Duration> ParseDuration(const std::string& text) {
  int64_t minutes = 0;
  if (absl::SimpleAtoi(text, &minutes) && minutes > 0) {
    return absl::Minutes(minutes);
  }
  absl::Duration duration;
  int64_t days = 0;
  if (!text.empty() && text.back() == 'd' &&
      absl::SimpleAtoi(text.substr(0, text.size() - 1), &days) && days > 0) {
    return absl::Hours(24) * days;
  }
  if (absl::ParseDuration(text, &duration) && duration > absl::ZeroDuration() &&
      duration < absl::InfiniteDuration()) {
    return duration;
  }
  return MakePlainError(portal_messages::kInvalidDuration, {{"value", text}});
}

absl::StatusOr<absl::Time> ParseDay(const std::string& text) {
  absl::Time time;
  std::string why;
  if (absl::ParseTime("%Y-%m-%d", text, &time, &why)) {
    return time + absl::Hours(24);
  }
  if (absl::ParseTime(absl::RFC3339_full, text, &time, &why)) return time;
  return MakePlainError(portal_messages::kInvalidTime, {{"value", text}});
}

absl::StatusOr<absl::Time> ParseMoment(const std::string& text,
                                       absl::Time now) {
  const absl::StatusOr<absl::Duration> from_now = ParseDuration(text);
  if (from_now.ok()) return now + *from_now;
  const absl::StatusOr<absl::Time> time = ParseDay(text);
  if (time.ok()) return time;
  return MakePlainError(portal_messages::kInvalidTimeOrDuration,
                        {{"value", text}});
}

void SetTime(absl::Time time, google::protobuf::Timestamp* message) {
  message->set_seconds(absl::ToUnixSeconds(time));
}

}  // namespace carme::carmectl
