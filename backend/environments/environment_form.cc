#include "backend/environments/environment_form.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/environments/messages.h"
#include "common/config/toml.h"
#include "common/edf/layer.h"
#include "common/edf/text.h"
#include "common/message.h"
#include "common/name_rules.h"

namespace carme::backend {
namespace {

using Strings = google::protobuf::RepeatedPtrField<std::string>;

constexpr size_t kMaxLineLength = 78;  // of a list

// New keys follow the last key before them in this list.
constexpr const char* kKeyOrder[] = {
    "base_environment", "image",      "mounts", "workdir",
    "writable",         "entrypoint", "devices"};

bool SameStrings(const Strings& a, const Strings& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string KeyText(const std::string& key) {
  constexpr CharacterSet kBare = kAlphanumeric | "_-";
  return !key.empty() && kBare.ContainsAll(key) ? key : TomlString(key);
}

std::string ListText(const Strings& list, bool has_lines) {
  const auto quote = [](std::string* out, const std::string& item) {
    *out += TomlString(item);
  };
  const std::string line =
      absl::StrCat("[", absl::StrJoin(list, ", ", quote), "]");
  if (list.empty() || (!has_lines && line.size() <= kMaxLineLength)) {
    return line;
  }
  return absl::StrCat("[\n  ", absl::StrJoin(list, ",\n  ", quote), ",\n]");
}

// Replacements in a text, by the positions of its parser: lines, and columns in
// code points.
class TextEdits {
 public:
  explicit TextEdits(const std::string& text) : text_(text) {
    lines_.push_back(0);
    for (size_t at = text.find('\n'); at != std::string::npos;
         at = text.find('\n', at + 1)) {
      lines_.push_back(at + 1);
    }
  }

  size_t OffsetOf(const toml::source_position& position) const {
    if (position.line == 0 || position.line > lines_.size()) {
      return text_.size();
    }
    size_t at = lines_[position.line - 1];
    for (uint32_t column = 1; column < position.column; ++column) {
      do {
        ++at;
      } while (at < text_.size() && (text_[at] & '\xc0') == '\x80');
    }
    return std::min(at, text_.size());
  }
  // The offset after the line of `offset`.
  size_t EndOfLine(size_t offset) const {
    const size_t end = text_.find('\n', offset);
    return end == std::string::npos ? text_.size() : end + 1;
  }
  size_t StartOfLine(size_t offset) const {
    const size_t before =
        offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    return before == std::string::npos ? 0 : before + 1;
  }

  void Insert(size_t at, std::string line) {
    at = std::min(at, text_.size());
    edits_.push_back({at, at, std::move(line)});
  }
  void Replace(const toml::node& node, std::string value) {
    edits_.push_back({OffsetOf(node.source().begin),
                      OffsetOf(node.source().end), std::move(value)});
  }
  // Removes all lines of a statement.
  void Remove(const toml::key& key, const toml::node& value) {
    edits_.push_back({StartOfLine(OffsetOf(key.source().begin)),
                      EndOfLine(OffsetOf(value.source().end)), ""});
  }
  bool HasLines(const toml::node& node) const {
    return node.source().begin.line != node.source().end.line;
  }
  char At(size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }

  // Edits that overlap are left out; WriteEnvironmentForm notices.
  std::string Apply() {
    std::stable_sort(
        edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
          return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
        });
    std::string result;
    size_t done = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < done || edit.end < edit.begin) continue;
      absl::StrAppend(&result, text_.substr(done, edit.begin - done),
                      edit.with);
      done = edit.end;
    }
    return absl::StrCat(result, text_.substr(done));
  }

 private:
  struct Edit {
    size_t begin;
    size_t end;
    std::string with;
  };
  const std::string& text_;
  std::vector<size_t> lines_;  // where they begin
  std::vector<Edit> edits_;
};

// Writes what differs between two forms into the text of `root`.
class FormWriter {
 public:
  FormWriter(const toml::table& root, TextEdits* edits)
      : root_(root), edits_(*edits) {}

  void Write(const v1::EnvironmentForm& before,
             const v1::EnvironmentForm& after) {
    List("base_environment", before.base_environments(),
         after.base_environments());
    Text("image", before.image(), after.image());
    List("mounts", before.mounts(), after.mounts());
    Text("workdir", before.workdir(), after.workdir());
    if (before.has_writable() != after.has_writable() ||
        before.writable() != after.writable()) {
      Truth("writable", after.has_writable(), after.writable());
    }
    if (before.has_entrypoint() != after.has_entrypoint() ||
        before.entrypoint() != after.entrypoint()) {
      Truth("entrypoint", after.has_entrypoint(), after.entrypoint());
    }
    List("devices", before.devices(), after.devices());
    Variables(before, after);
  }

 private:
  // An empty value removes the key.
  void Set(const char* key, const std::string& value) {
    const auto found = root_.find(key);
    if (found != root_.end() && value.empty()) {
      edits_.Remove(found->first, found->second);
    } else if (found != root_.end()) {
      edits_.Replace(found->second, value);
    } else if (!value.empty()) {
      edits_.Insert(PlaceOf(key), absl::StrCat(key, " = ", value, "\n"));
    }
  }

  size_t PlaceOf(std::string_view key) const {
    size_t place = 0;
    for (const char* earlier : kKeyOrder) {
      if (key == earlier) break;
      const toml::node* const node = root_.get(earlier);
      if (node != nullptr) {
        place = edits_.EndOfLine(edits_.OffsetOf(node->source().end));
      }
    }
    return place;
  }

  void Text(const char* key, const std::string& before,
            const std::string& after) {
    if (before != after) Set(key, after.empty() ? "" : TomlString(after));
  }

  void Truth(const char* key, bool is_set, bool value) {
    Set(key, !is_set ? "" : value ? "true" : "false");
  }

  void List(const char* key, const Strings& before, const Strings& after) {
    if (SameStrings(before, after)) return;
    const toml::node* const node = root_.get(key);
    const toml::array* const array =
        node == nullptr ? nullptr : node->as_array();
    if (array != nullptr && array->size() == size_t(after.size())) {
      for (int i = 0; i < after.size(); ++i) {
        const toml::node& item = *array->get(i);
        if (item.value<std::string>() != after[i]) {
          edits_.Replace(item, TomlString(after[i]));
        }
      }
    } else if (array == nullptr && after.empty()) {
      Set(key, "");
    } else if (array == nullptr && after.size() == 1 &&
               std::string_view(key) == "base_environment") {
      Set(key, TomlString(after[0]));
    } else {
      Set(key, ListText(after, array != nullptr && edits_.HasLines(*array)));
    }
  }

  void Variables(const v1::EnvironmentForm& before,
                 const v1::EnvironmentForm& after) {
    std::map<std::string, std::string> changed;
    std::vector<std::string> removed;
    for (const auto& [name, value] : after.variables()) {
      const auto old = before.variables().find(name);
      if (old == before.variables().end() || old->second != value) {
        changed[name] = value;
      }
    }
    for (const auto& [name, value] : before.variables()) {
      if (!after.variables().contains(name)) removed.push_back(name);
    }
    if (changed.empty() && removed.empty()) return;
    const toml::node* const node = root_.get("env");
    const toml::table* const table =
        node == nullptr ? nullptr : node->as_table();
    if (table == nullptr) {
      AppendTable(changed);
    } else if (table->is_inline()) {
      ReplaceInline(*table, changed, removed);
    } else {
      ChangeTable(*table, changed, removed);
    }
  }

  void AppendTable(const std::map<std::string, std::string>& changed) {
    if (changed.empty()) return;
    std::string lines = "\n[env]\n";
    for (const auto& [name, value] : changed) {
      absl::StrAppend(&lines, KeyText(name), " = ", TomlString(value), "\n");
    }
    edits_.Insert(std::string::npos, std::move(lines));
  }

  void ReplaceInline(const toml::table& table,
                     const std::map<std::string, std::string>& changed,
                     const std::vector<std::string>& removed) {
    std::map<std::string, std::string> all = changed;
    for (const auto& [key, value] : table) {
      all.emplace(std::string(key.str()), value.value_or(std::string()));
    }
    for (const std::string& name : removed) all.erase(name);
    edits_.Replace(
        table,
        absl::StrCat("{ ",
                     absl::StrJoin(all, ", ",
                                   [](std::string* out, const auto& entry) {
                                     absl::StrAppend(out, KeyText(entry.first),
                                                     " = ",
                                                     TomlString(entry.second));
                                   }),
                     " }"));
  }

  // A table with a header, or of dotted keys.
  void ChangeTable(const toml::table& table,
                   const std::map<std::string, std::string>& changed,
                   const std::vector<std::string>& removed) {
    const size_t start = edits_.OffsetOf(table.source().begin);
    const bool has_header = edits_.At(start) == '[';
    size_t end = edits_.EndOfLine(start);
    for (const auto& [key, value] : table) {
      end =
          std::max(end, edits_.EndOfLine(edits_.OffsetOf(value.source().end)));
      const std::string name(key.str());
      const auto found = changed.find(name);
      if (found != changed.end()) {
        edits_.Replace(value, TomlString(found->second));
      } else if (std::find(removed.begin(), removed.end(), name) !=
                 removed.end()) {
        edits_.Remove(key, value);
      }
    }
    for (const auto& [name, value] : changed) {
      if (table.contains(name)) continue;
      edits_.Insert(end, absl::StrCat(has_header ? "" : "env.", KeyText(name),
                                      " = ", TomlString(value), "\n"));
    }
  }

  const toml::table& root_;
  TextEdits& edits_;
};

void Fill(const std::vector<EdfText>& texts, Strings* list) {
  for (const EdfText& text : texts) *list->Add() = text.text;
}

// `current` with what differs between the others.
v1::EnvironmentForm Merged(v1::EnvironmentForm current,
                           const v1::EnvironmentForm& before,
                           const v1::EnvironmentForm& after) {
  const auto list = [](const Strings& old, const Strings& next, Strings* all) {
    if (!SameStrings(old, next)) *all = next;
  };
  list(before.base_environments(), after.base_environments(),
       current.mutable_base_environments());
  list(before.mounts(), after.mounts(), current.mutable_mounts());
  list(before.devices(), after.devices(), current.mutable_devices());
  if (before.image() != after.image()) current.set_image(after.image());
  if (before.workdir() != after.workdir()) {
    current.set_workdir(after.workdir());
  }
  if (before.has_writable() != after.has_writable() ||
      before.writable() != after.writable()) {
    current.clear_writable();
    if (after.has_writable()) current.set_writable(after.writable());
  }
  if (before.has_entrypoint() != after.has_entrypoint() ||
      before.entrypoint() != after.entrypoint()) {
    current.clear_entrypoint();
    if (after.has_entrypoint()) current.set_entrypoint(after.entrypoint());
  }
  for (const auto& [name, value] : before.variables()) {
    if (!after.variables().contains(name)) {
      current.mutable_variables()->erase(name);
    }
  }
  for (const auto& [name, value] : after.variables()) {
    const auto old = before.variables().find(name);
    if (old == before.variables().end() || old->second != value) {
      (*current.mutable_variables())[name] = value;
    }
  }
  return current;
}

}  // namespace

std::optional<v1::EnvironmentForm> ReadEnvironmentForm(const std::string& text,
                                                       EdfProblems* problems) {
  EdfProblems warnings;
  const std::optional<EdfLayer> layer =
      ReadEdfLayer(text, "", problems, &warnings);
  if (!layer) return std::nullopt;
  v1::EnvironmentForm form;
  Fill(layer->bases, form.mutable_base_environments());
  if (layer->image) form.set_image(layer->image->text);
  Fill(layer->mounts, form.mutable_mounts());
  if (layer->workdir) form.set_workdir(layer->workdir->text);
  if (layer->writable) form.set_writable(*layer->writable);
  if (layer->entrypoint) form.set_entrypoint(*layer->entrypoint);
  Fill(layer->devices, form.mutable_devices());
  for (const auto& [name, value] : layer->env) {
    (*form.mutable_variables())[name] = value.text;
  }
  return form;
}

std::optional<std::string> WriteEnvironmentForm(
    const std::string& text, const v1::EnvironmentForm& before,
    const v1::EnvironmentForm& after, EdfProblems* problems) {
  const std::optional<v1::EnvironmentForm> current =
      ReadEnvironmentForm(text, problems);
  if (!current) return std::nullopt;
  std::string lines = text;
  if (!lines.empty() && !lines.ends_with('\n')) lines += '\n';
  // ReadEnvironmentForm has checked that the parser accepts it.
  const toml::parse_result root = toml::parse(lines);
  if (!root) return std::nullopt;
  TextEdits edits(lines);
  FormWriter(root.table(), &edits).Write(before, after);
  std::string written = edits.Apply();

  EdfProblems refused;
  const std::optional<v1::EnvironmentForm> result =
      ReadEnvironmentForm(written, &refused);
  // Its lines are not those of the caller's text.
  for (const EdfProblem& problem : refused.list()) {
    problems->Add(problem.number, {}, problem.text);
  }
  if (!result) return std::nullopt;
  if (!google::protobuf::util::MessageDifferencer::Equals(
          *result, Merged(*current, before, after))) {
    problems->Add(EdfNumber::kSchema, {},
                  MakeText(environment_messages::kNotWritable));
    return std::nullopt;
  }
  return written;
}

}  // namespace carme::backend
