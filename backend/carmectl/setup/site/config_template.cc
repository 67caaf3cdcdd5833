#include "backend/carmectl/setup/site/config_template.h"

#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/config/toml.h"

namespace carme::carmectl {
namespace {

constexpr std::string_view kNoTable = "";

bool IsTableLine(std::string_view line) { return line.substr(0, 1) == "["; }

bool IsKeyLine(std::string_view line, std::string_view prefix,
               std::string_view key) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  return line.starts_with(" = ");
}

}  // namespace

std::string TomlText(const std::string& value) {
  const toml::value<std::string> node(value);
  std::ostringstream out;
  out << toml::toml_formatter(node, toml::format_flags::allow_unicode_strings);
  return out.str();
}

std::string TomlText(const std::vector<std::string>& value) {
  std::vector<std::string> items;
  for (const std::string& item : value) items.push_back(TomlText(item));
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

std::string TomlText(bool value) { return value ? "true" : "false"; }

ConfigTemplate::ConfigTemplate(std::string_view text)
    : lines_(
          absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {}

void ConfigTemplate::SetOrDisable(std::string_view table, std::string_view key,
                                  const std::string& value) {
  if (value.empty()) {
    Disable(table, key);
  } else {
    Set(table, key, value);
  }
}

void ConfigTemplate::Disable(std::string_view table, std::string_view key) {
  const size_t line = Find(table, key, false);
  if (line < lines_.size()) {
    lines_[line].insert(0, "#");
  } else if (Find(table, key, true) == lines_.size()) {
    Fail(table, key);
  }
}

void ConfigTemplate::DisableTable(std::string_view table) {
  bool inside = false;
  bool found = false;
  for (std::string& line : lines_) {
    if (IsTableLine(line)) inside = line == table;
    if (!inside || line.empty() || line[0] == '#') continue;
    line.insert(0, "#");
    found = true;
  }
  if (!found) Fail(table, kNoTable);
}

void ConfigTemplate::Append(const std::vector<std::string>& lines) {
  if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  lines_.emplace_back();
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  lines_.emplace_back();
}

void ConfigTemplate::SetLine(std::string_view table, std::string_view key,
                             const std::string& value) {
  size_t line = Find(table, key, false);
  if (line == lines_.size()) line = Find(table, key, true);
  if (line == lines_.size()) {
    Fail(table, key);
    return;
  }
  lines_[line] = absl::StrCat(std::string(key), " = ", value);
}

size_t ConfigTemplate::Find(std::string_view table, std::string_view key,
                            bool commented) const {
  bool inside = table.empty();
  for (size_t at = 0; at < lines_.size(); ++at) {
    const std::string& line = lines_[at];
    if (IsTableLine(line)) inside = line == table;
    if (inside && IsKeyLine(line, commented ? "#" : "", key)) return at;
  }
  return lines_.size();
}

void ConfigTemplate::Fail(std::string_view table, std::string_view key) {
  if (!status_.ok()) return;
  status_ = MakePlainError(setup_messages::kTemplateKey,
                           {{"key", key}, {"table", table}});
}

std::string ConfigTemplate::text() const { return absl::StrJoin(lines_, "\n"); }

}  // namespace carme::carmectl
