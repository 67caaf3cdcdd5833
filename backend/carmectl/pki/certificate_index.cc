#include "backend/carmectl/pki/certificate_index.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/pki/messages.h"
#include "common/name_rules.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr char kHeader[] =
    "# Issued by this authority: serial, role, name, DNS names, not before, "
    "not after, revoked at (seconds since 1970)";
constexpr char kNothing[] = "-";

std::optional<absl::Time> ParseTime(const std::string& text) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(text, &seconds) || seconds < 0) return std::nullopt;
  return absl::FromUnixSeconds(seconds);
}

constexpr NameRule kSerialRule{.characters = kLowercaseHex, .max_bytes = 40};

std::optional<IssuedEntry> ParseLine(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() != 7) return std::nullopt;
  const std::optional<MachineRole> role = ParseMachineRole(words[1]);
  const std::optional<absl::Time> from = ParseTime(words[4]);
  const std::optional<absl::Time> until = ParseTime(words[5]);
  if (!kSerialRule.Allows(words[0]) || !role || !IsMachineName(words[2]) ||
      !from || !until) {
    return std::nullopt;
  }
  IssuedEntry entry{.serial = words[0],
                    .identity = {*role, words[2]},
                    .dns_names = {},
                    .not_before = *from,
                    .not_after = *until,
                    .revoked_at = std::nullopt};
  if (words[3] != kNothing) {
    entry.dns_names = absl::StrSplit(words[3], ',');
  }
  if (words[6] != kNothing) {
    entry.revoked_at = ParseTime(words[6]);
    if (!entry.revoked_at) return std::nullopt;
  }
  return entry;
}

std::string TimeText(absl::Time time) {
  return absl::StrCat(absl::ToUnixSeconds(time));
}

}  // namespace

absl::StatusOr<std::vector<IssuedEntry>> ParseIndex(std::string_view text) {
  std::vector<IssuedEntry> entries;
  const std::vector<std::string> lines =
      absl::StrSplit(std::string(text), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    std::optional<IssuedEntry> entry = ParseLine(lines[i]);
    if (!entry) {
      return MakePlainError(
          pki_messages::kIndexDamaged,
          {{"line", i + 1}, {"text", lines[i].substr(0, 80)}});
    }
    entries.push_back(*std::move(entry));
  }
  return entries;
}

std::string FormatIndex(const std::vector<IssuedEntry>& entries) {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const IssuedEntry& entry : entries) {
    absl::StrAppend(
        &text, entry.serial, " ", std::string(RoleName(entry.identity.role)),
        " ", entry.identity.name, " ",
        entry.dns_names.empty() ? kNothing
                                : absl::StrJoin(entry.dns_names, ","),
        " ", TimeText(entry.not_before), " ", TimeText(entry.not_after), " ",
        entry.revoked_at ? TimeText(*entry.revoked_at) : kNothing, "\n");
  }
  return text;
}

}  // namespace carme::carmectl
