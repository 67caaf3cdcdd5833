#include "common/edf/text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/edf/expansion.h"

namespace carme {
namespace {

std::string Toml(const std::string& text) {
  return TomlString(EscapeVariables(text));
}

using Form = std::string (*)(const std::string&);

std::string Array(const std::vector<std::string>& items, Form form) {
  return absl::StrCat(
      "[",
      absl::StrJoin(items, ", ",
                    [form](std::string* out, const std::string& item) {
                      *out += form(item);
                    }),
      "]");
}

std::vector<std::string> MountTexts(const Edf& edf) {
  std::vector<std::string> texts;
  for (const EdfMount& mount : edf.mounts) texts.push_back(MountText(mount));
  return texts;
}

const char* Truth(bool value) { return value ? "true" : "false"; }

std::string TomlTable(const char* name,
                      const std::map<std::string, std::string>& table) {
  if (table.empty()) return "";
  std::string text = absl::StrCat("\n[", name, "]\n");
  for (const auto& [key, value] : table) {
    absl::StrAppend(&text, TomlString(key), " = ", Toml(value), "\n");
  }
  return text;
}

std::string JsonTable(const std::map<std::string, std::string>& table) {
  return absl::StrCat("{",
                      absl::StrJoin(table, ",",
                                    [](std::string* out, const auto& entry) {
                                      absl::StrAppend(
                                          out, TomlString(entry.first), ":",
                                          TomlString(entry.second));
                                    }),
                      "}");
}

}  // namespace

std::string TomlString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<unsigned>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string EdfToToml(const Edf& edf) {
  std::string text = absl::StrCat("image = ", Toml(ImageText(edf.image)), "\n");
  absl::StrAppend(&text, "mounts = ", Array(MountTexts(edf), Toml), "\n");
  absl::StrAppend(&text, "workdir = ", Toml(edf.workdir), "\n");
  absl::StrAppend(&text, "writable = ", Truth(edf.writable), "\n");
  absl::StrAppend(&text, "entrypoint = ", Truth(edf.entrypoint), "\n");
  absl::StrAppend(&text, "devices = ", Array(edf.devices, Toml), "\n");
  absl::StrAppend(&text, TomlTable("env", edf.env),
                  TomlTable("annotations", edf.annotations));
  return text;
}

std::string EdfToJson(const Edf& edf) {
  return absl::StrCat("{\"image\":", TomlString(ImageText(edf.image)),
                      ",\"mounts\":", Array(MountTexts(edf), TomlString),
                      ",\"workdir\":", TomlString(edf.workdir),
                      ",\"writable\":", Truth(edf.writable),
                      ",\"entrypoint\":", Truth(edf.entrypoint),
                      ",\"devices\":", Array(edf.devices, TomlString),
                      ",\"env\":", JsonTable(edf.env),
                      ",\"annotations\":", JsonTable(edf.annotations), "}\n");
}

}  // namespace carme
