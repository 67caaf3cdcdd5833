// carmectl audit: reads and archives the audit log in a database file. The
// backend may be running or stopped.
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/audit/archive/archive_file.h"
#include "backend/audit/archive/archiving.h"
#include "backend/audit/audit_proto.h"
#include "backend/audit/audit_table.h"
#include "backend/audit/verification.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "common/encoding.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

using backend::ArchiveAudit;
using backend::ArchiveDone;
using backend::ArchiveFacts;
using backend::AuditBegin;
using backend::AuditEntry;
using backend::AuditFilter;
using backend::AuditOrder;
using backend::AuditPiece;
using backend::AuditVerification;
using backend::Database;
using backend::kAuditPiece;
using backend::kNewest;
using backend::kOldest;
using backend::Migrations;
using backend::ReadArchive;
using backend::ReadBegin;
using backend::VerifyAudit;

struct AuditOptions {
  std::string database = "/var/lib/carme/carme.db";
  std::string head;
  std::vector<std::string> archives;  // the oldest first
  std::string file;
  int days = 0;
  std::string since;
  std::string until;
  AuditFilter filter;
  int64_t limit = 100;
};

absl::Status ReadTime(const char* option, const std::string& text,
                      int64_t* micros) {
  if (text.empty()) return absl::OkStatus();
  absl::Time time;
  std::string why;
  if (!absl::ParseTime("%Y-%m-%d%ET%H:%M:%E*S%Ez", text, &time, &why) &&
      !absl::ParseTime("%Y-%m-%d", text, &time, &why)) {
    return MakePlainError(command_messages::kNotATime,
                          {{"option", option}, {"value", text}});
  }
  *micros = absl::ToUnixMicros(time);
  return absl::OkStatus();
}

absl::StatusOr<AuditFilter> FilterOf(const AuditOptions& options) {
  AuditFilter filter = options.filter;
  RETURN_IF_ERROR(ReadTime("--since", options.since, &filter.since));
  RETURN_IF_ERROR(ReadTime("--until", options.until, &filter.until));
  return filter;
}

absl::StatusOr<std::string> KnownHash(const std::string& hex) {
  const bool good =
      hex.empty() ||
      (hex.size() == 64 &&
       hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos);
  if (good) return absl::HexStringToBytes(hex);
  return MakePlainError(command_messages::kNotAHash, {{"value", hex}});
}

absl::Status PrintLines(const AuditPiece& piece) {
  for (const AuditEntry& entry : piece.entries) {
    if (std::puts(JsonLine(entry).c_str()) < 0) {
      return MakePlainError(command_messages::kOutputNotWritten);
    }
  }
  return absl::OkStatus();
}

absl::Status Print(const AuditOptions& options, AuditOrder order,
                   int64_t limit) {
  ASSIGN_OR_RETURN(const AuditFilter filter, FilterOf(options));
  ASSIGN_OR_RETURN(const auto database,
                   Database::OpenReadOnly(options.database));
  AuditPiece piece;
  piece.next = order == AuditOrder::kOldestFirst ? kOldest : kNewest;
  for (int64_t left = limit; left > 0 && !piece.last;) {
    const int64_t max = std::min<int64_t>(left, kAuditPiece);
    ASSIGN_OR_RETURN(piece,
                     ReadPiece(database.get(), filter, order, piece.next, max));
    RETURN_IF_ERROR(PrintLines(piece));
    left -= static_cast<int64_t>(piece.entries.size());
  }
  if (std::fflush(stdout) == 0) return absl::OkStatus();
  return MakePlainError(command_messages::kOutputNotWritten);
}

// Each archive must end where the next one begins, and the last one where the
// table begins. Returns whether one has the hash `known`.
absl::StatusOr<bool> VerifyArchives(const std::vector<std::string>& archives,
                                    std::string next,
                                    const std::string& known) {
  bool has_known = false;
  for (auto file = archives.rbegin(); file != archives.rend(); ++file) {
    ASSIGN_OR_RETURN(const ArchiveFacts facts,
                     ReadArchive(*file, {.next = next, .known = known}));
    if (!facts.has_next) {
      return MakePlainError(file == archives.rbegin()
                                ? command_messages::kArchiveWithoutTable
                                : command_messages::kArchiveWithoutNext,
                            {{"path", *file}, {"hash", HexEncode(next)}});
    }
    std::printf("{\"archivedAfter\":%lld,\"archivedUpto\":%lld}\n",
                static_cast<long long>(facts.begin.sequence),
                static_cast<long long>(facts.end.sequence));
    has_known = has_known || facts.has_known;
    next = facts.begin.hash;
  }
  return has_known;
}

absl::Status Verify(const AuditOptions& options) {
  ASSIGN_OR_RETURN(const std::string known, KnownHash(options.head));
  ASSIGN_OR_RETURN(const auto database,
                   Database::OpenReadOnly(options.database));
  ASSIGN_OR_RETURN(const AuditBegin begin, ReadBegin(database.get()));
  ASSIGN_OR_RETURN(const bool in_archive,
                   VerifyArchives(options.archives, begin.head.hash, known));
  ASSIGN_OR_RETURN(const AuditVerification verdict,
                   VerifyAudit(database.get(), in_archive ? "" : known,
                               [] { return absl::OkStatus(); }));
  std::printf(
      "{\"good\":%s,\"entries\":%lld,\"brokenAt\":%lld,\"head\":\"%s\"%s%s}\n",
      verdict.broken_at == 0 ? "true" : "false",
      static_cast<long long>(verdict.entries),
      static_cast<long long>(verdict.broken_at),
      HexEncode(verdict.head.hash).c_str(),
      known.empty() || in_archive
          ? ""
          : absl::StrCat(",\"givenHeadAt\":", verdict.known_at).c_str(),
      verdict.begin.sequence == 0
          ? ""
          : absl::StrCat(",\"archivedUpto\":", verdict.begin.sequence).c_str());
  if (verdict.broken_at == 0) return absl::OkStatus();
  return MakePlainError(command_messages::kAuditInvalid,
                        {{"cause", verdict.why}});
}

std::string UserName() {
  const passwd* const user = getpwuid(getuid());
  return user == nullptr ? "" : user->pw_name;
}

absl::Status Archive(const AuditOptions& options) {
  ASSIGN_OR_RETURN(const std::string known, KnownHash(options.head));
  ASSIGN_OR_RETURN(const auto database,
                   Database::OpenExisting(options.database, Migrations()));
  const absl::Time now = absl::Now();
  ASSIGN_OR_RETURN(const ArchiveDone done,
                   ArchiveAudit(database.get(),
                                {.file = options.file,
                                 .before = now - absl::Hours(24) * options.days,
                                 .known = known,
                                 .actor = UserName(),
                                 .actor_uid = Uid(getuid()),
                                 .now = now}));
  std::printf("{\"archived\":%lld,\"upto\":%lld,\"head\":\"%s\"}\n",
              static_cast<long long>(done.end.sequence - done.begin.sequence),
              static_cast<long long>(done.end.sequence),
              HexEncode(done.end.hash).c_str());
  return absl::OkStatus();
}

void AddFilters(CLI::App* command, AuditOptions* options) {
  command->add_option("--since", options->since, "not before this time");
  command->add_option("--until", options->until, "before this time");
  command->add_option("--actor", options->filter.actor, "whose acts");
  command->add_option("--act", options->filter.act, "e.g. submit");
  command->add_option("--decision", options->filter.decision)
      ->check(CLI::IsMember({"allow", "refuse"}));
  command->add_option("--text", options->filter.text,
                      "in subject, result, source or request id");
}

CLI::App* AddCommand(CLI::App* group, const char* name, const char* about,
                     AuditOptions* options) {
  CLI::App* const command = group->add_subcommand(name, about);
  command->add_option("--database", options->database, "the backend's")
      ->capture_default_str();
  return command;
}

}  // namespace

void AddAuditCommands(CLI::App* app, Command* chosen) {
  CLI::App* const audit = app->add_subcommand("audit", "the audit log");
  audit->require_subcommand(1);
  const auto options = std::make_shared<AuditOptions>();
  CLI::App* const verify = AddCommand(
      audit, "verify", "check the chain of all entries", options.get());
  verify->add_option("--head", options->head,
                     "a hash noted before, from the log's audit-head lines");
  verify->add_option("--archive", options->archives,
                     "files of \"archive\", the oldest first");
  verify->callback([=] { *chosen = [options] { return Verify(*options); }; });
  CLI::App* const archive =
      AddCommand(audit, "archive", "move old entries to a file", options.get());
  archive->add_option("file", options->file, "a new file")->required();
  archive->add_option("--older-than", options->days, "in days")
      ->required()
      ->check(CLI::Range(1, 36500));
  archive->add_option("--head", options->head,
                      "a hash noted before, which must be there");
  archive->callback([=] { *chosen = [options] { return Archive(*options); }; });
  CLI::App* const list = AddCommand(
      audit, "list", "the newest entries first, as JSON lines", options.get());
  AddFilters(list, options.get());
  list->add_option("--limit", options->limit, "how many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  list->callback([=] {
    *chosen = [options] {
      return Print(*options, AuditOrder::kNewestFirst, options->limit);
    };
  });
  CLI::App* const whole =
      AddCommand(audit, "export",
                 "all entries, the oldest first, as JSON lines", options.get());
  AddFilters(whole, options.get());
  whole->callback([=] {
    *chosen = [options] {
      return Print(*options, AuditOrder::kOldestFirst, kNewest);
    };
  });
}

}  // namespace carme::carmectl
