// carmectl logs: warnings and errors of Carme's programs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/log.pb.h"
#include "common/ids.h"
#include "common/printable.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kPollInterval = absl::Seconds(2);
constexpr int kMaxPage = 500;

struct LogOptions : PortalOptions {
  std::string subject;
  std::string request;
  std::string since;
  std::string level;
  int64_t max = 100;
  bool follow = false;
};

bool IsNumber(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// JOB, NODE or SERVICE by its form.
void SetSubject(const std::string& subject, v1::LogFilter* filter) {
  if (IsNumber(subject) || IsJobId(subject)) {
    filter->set_job(subject);
  } else if (subject.starts_with("carme-") || subject == "image-build") {
    filter->set_service(subject);
  } else {
    filter->set_node(subject);
  }
}

absl::StatusOr<v1::LogFilter> LogFilterOf(const LogOptions& options) {
  v1::LogFilter filter;
  SetSubject(options.subject, &filter);
  filter.set_request_id(options.request);
  v1::LogSeverity severity = v1::LOG_SEVERITY_UNSPECIFIED;
  if (!options.level.empty() &&
      !v1::LogSeverity_Parse(
          absl::StrCat("LOG_SEVERITY_", absl::AsciiStrToUpper(options.level)),
          &severity)) {
    return MakePlainError(command_messages::kInvalidLogLevel,
                          {{"value", options.level}});
  }
  filter.set_min_severity(severity);
  if (options.since.empty()) return filter;
  const absl::Time now = absl::Now();
  if (const auto ago = ParseDuration(options.since); ago.ok()) {
    SetTime(now - *ago, filter.mutable_since());
    return filter;
  }
  ASSIGN_OR_RETURN(const absl::Time since, ParseMoment(options.since, now));
  SetTime(since, filter.mutable_since());
  return filter;
}

// "2026-11-23 08:00:00 error carme-prolog node=n1 job=k3… (7) user=ada text"
void PrintEntry(const v1::LogEntry& entry) {
  const absl::Time at = absl::FromUnixSeconds(entry.at().seconds());
  std::string line =
      absl::FormatTime("%Y-%m-%d %H:%M:%S ", at, absl::UTCTimeZone());
  absl::StrAppend(&line,
                  absl::AsciiStrToLower(absl::StripPrefix(
                      v1::LogSeverity_Name(entry.severity()), "LOG_SEVERITY_")),
                  " ", entry.service());
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&line, " ", key, "=", value);
  };
  add("node", entry.node());
  add("job", entry.job_id());
  if (entry.slurm_job_id() != 0) {
    add("slurm_job", absl::StrCat(entry.slurm_job_id()));
  }
  add("user", entry.user());
  add("request", entry.request_id());
  absl::StrAppend(&line, ": ", entry.message());
  std::puts(Readable(line, line.size()).c_str());
}

void PrintNewer(const v1::ListLogEntriesResponse& page, int64_t than) {
  for (int i = page.entries_size() - 1; i >= 0; --i) {
    if (page.entries(i).sequence() > than) PrintEntry(page.entries(i));
  }
  std::fflush(stdout);
}

// Entries beyond one page between two calls are not printed.
absl::Status FollowLog(v1::ListLogEntriesRequest request, int64_t newest,
                       PortalClient& client) {
  request.set_page_size(kMaxPage);
  while (true) {
    absl::SleepFor(kPollInterval);
    ASSIGN_OR_RETURN(const auto page,
                     client.Call<v1::ListLogEntriesResponse>(
                         "LogService/ListLogEntries", request));
    PrintNewer(page, newest);
    if (page.entries_size() > 0) newest = page.entries(0).sequence();
  }
}

absl::Status ShowLog(const LogOptions& options, PortalClient& client) {
  v1::ListLogEntriesRequest request;
  ASSIGN_OR_RETURN(*request.mutable_filter(), LogFilterOf(options));
  request.set_page_size(
      static_cast<int>(std::min<int64_t>(options.max, kMaxPage)));
  ASSIGN_OR_RETURN(auto entries, client.Call<v1::ListLogEntriesResponse>(
                                     "LogService/ListLogEntries", request));
  while (entries.entries_size() < options.max &&
         !entries.next_page_token().empty()) {
    request.set_page_token(entries.next_page_token());
    ASSIGN_OR_RETURN(const auto page,
                     client.Call<v1::ListLogEntriesResponse>(
                         "LogService/ListLogEntries", request));
    entries.mutable_entries()->MergeFrom(page.entries());
    entries.set_next_page_token(page.next_page_token());
  }
  if (options.json) return Print(options, entries, {});
  PrintNewer(entries, 0);
  if (!options.follow) return absl::OkStatus();
  request.clear_page_token();
  return FollowLog(
      request, entries.entries_size() == 0 ? 0 : entries.entries(0).sequence(),
      client);
}

}  // namespace

void AddLogCommand(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<LogOptions>();
  CLI::App* const noun = AddNoun(
      app, "logs", "warnings and errors of Carme's programs",
      "  carmectl logs gpu07 --since 2h\n"
      "  carmectl logs k3v9x2m8q1w7e5r4\n"
      "  carmectl logs carme-epilog --level error --follow\n"
      "  carmectl logs --request 4bf92f3577b34da6\n"
      "The oldest entry comes first; times are in UTC. The text of carme-agent "
      "is under the control of\nthe job's user. [logs] of backend.toml says "
      "how much is kept; the complete logs are in the journal\nof each host: "
      "\"journalctl CARME_REQUEST_ID=…\".",
      options.get());
  noun->require_subcommand(0);
  noun->add_option(
      "subject", options->subject,
      "a job (Carme's or Slurm's id), a node, the address of a DMZ "
      "host, or a program: "
      "carme-backend, carme-frontend, carme-proxy, carme-prolog, "
      "carme-epilog, carme-agent, image-build, carme-impersonator, "
      "carme-storage-reader");
  noun->add_option("--request", options->request,
                   "only of the request with this id, which an error shows");
  noun->add_option("--since", options->since,
                   "\"2h\" ago, or \"2026-12-31T18:00:00Z\"");
  noun->add_option("--level", options->level,
                   "info, warning or error; default: warning, with --request "
                   "info");
  noun->add_option("--max", options->max, "the newest entries, at most")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  noun->add_flag("--follow", options->follow, "print new entries until Ctrl-C")
      ->excludes(noun->get_option("--json"));
  noun->callback([options, chosen] {
    *chosen = [options]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::unique_ptr<PortalClient> client,
                       Connect(*options));
      return ShowLog(*options, *client);
    };
  });
}

}  // namespace carme::carmectl
