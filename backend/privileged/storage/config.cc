#include "backend/privileged/storage/config.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/privileged/privsep/root_files.h"
#include "common/config/config.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::storage_reader {
namespace {

using Kind = StorageAreaConfig::Kind;
using Format = StorageAreaConfig::Format;

constexpr size_t kMaxName = 64;
constexpr size_t kMaxPath = 1024;
constexpr size_t kMaxArguments = 32;
constexpr std::string_view kPlaceholders[] = {"user", "uid", "home", "group",
                                              "gid"};

// Braces may only form placeholders.
bool HasKnownPlaceholders(std::string_view text) {
  while (true) {
    const size_t brace = text.find_first_of("{}");
    if (brace == std::string_view::npos) return true;
    const size_t end = text.find('}', brace);
    if (text[brace] != '{' || end == std::string_view::npos) return false;
    const std::string_view word = text.substr(brace + 1, end - brace - 1);
    if (std::find(std::begin(kPlaceholders), std::end(kPlaceholders), word) ==
        std::end(kPlaceholders)) {
      return false;
    }
    text.remove_prefix(end + 1);
  }
}

bool NamesGroup(std::string_view text) {
  return text.find("{group}") != std::string_view::npos ||
         text.find("{gid}") != std::string_view::npos;
}

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  });
}

void CheckText(ConfigTable* table, std::string_view key,
               const std::string& text, size_t max) {
  if (text.size() > max || !IsPlain(text)) {
    table->Refuse(key, absl::StrCat("expected at most ", max,
                                    " bytes without control characters"));
  }
  if (!HasKnownPlaceholders(text)) {
    table->Refuse(
        key, absl::StrCat("found \"", text,
                          "\": expected only the placeholders {user}, {uid}, "
                          "{home}, {group} and {gid}"));
  }
}

Kind ReadKind(ConfigTable* table) {
  std::string kind;
  table->Read("kind", &kind, Required());
  if (kind == "filesystem") return Kind::kFilesystem;
  if (kind == "command") return Kind::kCommand;
  if (kind != "quota" && !kind.empty()) {
    table->Refuse("kind", absl::StrCat("found \"", kind,
                                       "\": expected \"quota\", "
                                       "\"filesystem\" or \"command\""));
  }
  return Kind::kQuota;
}

Format ReadFormat(ConfigTable* table) {
  std::string format = "plain";
  table->Read("format", &format);
  if (format == "beegfs") return Format::kBeegfs;
  if (format != "plain") {
    table->Refuse("format", absl::StrCat("found \"", format,
                                         "\": expected \"plain\" or "
                                         "\"beegfs\""));
  }
  return Format::kPlain;
}

void CheckCommand(ConfigTable* table, const StorageAreaConfig& area) {
  const bool is_command = area.kind == Kind::kCommand;
  if (is_command == area.command.empty()) {
    table->Refuse(is_command ? "kind" : "command",
                  is_command ? "expected a command with this kind"
                             : "expected only with kind \"command\"");
    return;
  }
  if (!is_command) return;
  const std::string& program = area.command[0];
  if (!program.starts_with('/') || program.find('{') != std::string::npos) {
    table->Refuse("command",
                  absl::StrCat("found \"", program,
                               "\": expected the absolute path of a program"));
  }
  if (area.command.size() > kMaxArguments) {
    table->Refuse("command", absl::StrCat("expected at most ", kMaxArguments,
                                          " arguments"));
  }
  for (const std::string& word : area.command) {
    CheckText(table, "command", word, kMaxPath);
  }
}

StorageAreaConfig ReadArea(ConfigTable table) {
  StorageAreaConfig area;
  table.Read("name", &area.name, Required());
  CheckText(&table, "name", area.name, kMaxName);
  table.Read("path", &area.path, Required());
  CheckText(&table, "path", area.path, kMaxPath);
  if (!area.path.starts_with('/') && !area.path.starts_with("{home}")) {
    table.Refuse("path",
                 "expected an absolute path, or one that starts with {home}");
  }
  area.kind = ReadKind(&table);
  table.Read("command", &area.command);
  area.format = ReadFormat(&table);
  CheckCommand(&table, area);
  table.Read("group_prefix", &area.group_prefix);
  const bool of_group =
      NamesGroup(area.name) || NamesGroup(area.path) ||
      std::any_of(area.command.begin(), area.command.end(), NamesGroup);
  if (of_group == area.group_prefix.empty()) {
    table.Refuse(of_group ? "path" : "group_prefix",
                 "expected {group} or {gid} together with a group_prefix");
  }
  return area;
}

StorageConfig ReadStorageConfig(ConfigTable* root) {
  StorageConfig config;
  root->Read("area_timeout_s", &config.timeout, Range(1, 60));
  for (ConfigTable& table : root->Tables("areas")) {
    config.areas.push_back(ReadArea(table));
  }
  if (config.areas.size() > kMaxStorageAreas) {
    root->Refuse("areas",
                 absl::StrCat("expected at most ", kMaxStorageAreas, " areas"));
  }
  return config;
}

}  // namespace

absl::StatusOr<StorageReaderConfig> ParseStorageReaderConfig(
    const std::string& text, const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Parse(text, path));
  ConfigTable root = file.root();
  StorageReaderConfig config;
  root.Read("socket", &config.socket);
  if (!config.socket.starts_with('/')) {
    root.Refuse("socket", "expected an absolute path");
  }
  root.Read("peer_user", &config.peer_user, Required());
  config.policy = ReadPolicy(&root);
  root.Read("max_readings", &config.max_readings, Range(1, 64));
  root.Read("readings_per_minute", &config.readings_per_minute,
            Range(1, 100000));
  config.storage = ReadStorageConfig(&root);
  RETURN_IF_ERROR(file.Finish());
  return config;
}

absl::StatusOr<StorageReaderConfig> LoadStorageReaderConfig(
    const std::string& path) {
  RETURN_IF_ERROR(CheckOnlyRootWrites(path));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseStorageReaderConfig(text, path);
}

}  // namespace carme::storage_reader
