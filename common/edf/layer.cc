#include "common/edf/layer.h"

#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/config/toml.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/edf/toml_shape.h"
#include "common/printable.h"

namespace carme {
namespace {

// `a string, "yes"`
DisplayText Description(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return MakeText(edf_messages::kFoundString,
                    {{"value", Quoted(text->get())}});
  }
  if (const auto* number = node.as_integer()) {
    return MakeText(edf_messages::kFoundInteger, {{"value", number->get()}});
  }
  if (const auto* truth = node.as_boolean()) {
    return truth->get() ? MakeText(edf_messages::kFoundTrue)
                        : MakeText(edf_messages::kFoundFalse);
  }
  if (node.is_array()) return MakeText(edf_messages::kFoundArray);
  if (node.is_table()) return MakeText(edf_messages::kFoundTable);
  return MakeText(edf_messages::kFoundFloat);  // dates are refused before
}

// The text of an annotation that is not a string; nullopt: it has none.
std::optional<std::string> Stringified(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) {
    return absl::StrCat(number->get());
  }
  if (const auto* truth = node.as_boolean()) {
    return truth->get() ? "true" : "false";
  }
  const auto* number = node.as_floating_point();
  if (number == nullptr) return std::nullopt;
  std::ostringstream text;
  text << number->get();
  return text.str();
}

class Reader {
 public:
  Reader(const std::string& file, EdfProblems* problems, EdfProblems* warnings)
      : file_(file), problems_(problems), warnings_(warnings) {}

  void Read(const toml::table& root) {
    for (const auto& [key, value] : root) Entry(key.str(), value);
  }

  EdfLayer layer;

 private:
  void Entry(std::string_view key, const toml::node& value) {
    if (key == "base_environment") {
      Bases(value);
    } else if (key == "image") {
      Text(value, "image", &layer.image);
    } else if (key == "workdir") {
      Text(value, "workdir", &layer.workdir);
    } else if (key == "writable") {
      Truth(value, "writable", &layer.writable);
    } else if (key == "entrypoint") {
      Truth(value, "entrypoint", &layer.entrypoint);
    } else if (key == "mounts") {
      Texts(value, "mounts", kMaxEdfMounts, &layer.mounts);
    } else if (key == "devices") {
      Texts(value, "devices", kMaxEdfDevices, &layer.devices);
    } else if (key == "env") {
      Env(value);
    } else if (key == "annotations") {
      if (const toml::table* table = Table(value, "annotations")) {
        Annotations(*table, "");
      }
    } else {
      warnings_->Add(
          EdfNumber::kSchema, At(value),
          MakeText(edf_messages::kUnknownKey, {{"key", Quoted(key)}}));
    }
  }

  EdfPlace At(const toml::node& node) const {
    return {file_, node.source().begin.line};
  }

  void Wrong(const toml::node& node, std::string_view name,
             const DisplayText& expected) {
    problems_->Add(
        EdfNumber::kSchema, At(node),
        MakeText(edf_messages::kWrongType, {{"name", Quoted(name)},
                                            {"found", Description(node)},
                                            {"expected", expected}}));
  }

  void Text(const toml::node& node, const char* name,
            std::optional<EdfText>* text) {
    if (!node.is_string())
      return Wrong(node, name, MakeText(edf_messages::kExpectString));
    *text = EdfText{node.as_string()->get(), At(node), name};
  }

  void Truth(const toml::node& node, const char* name,
             std::optional<bool>* truth) {
    if (!node.is_boolean())
      return Wrong(node, name, MakeText(edf_messages::kExpectBoolean));
    *truth = node.as_boolean()->get();
  }

  void Texts(const toml::node& node, const std::string& name, size_t max,
             std::vector<EdfText>* texts) {
    const toml::array* array = node.as_array();
    if (array == nullptr)
      return Wrong(node, name, MakeText(edf_messages::kExpectStrings));
    if (array->size() > max) {
      return TooMany(At(node), name, array->size(), max);
    }
    for (const toml::node& item : *array) {
      const std::string item_name = absl::StrCat(name, "[", texts->size(), "]");
      if (!item.is_string())
        Wrong(item, item_name, MakeText(edf_messages::kExpectString));
      texts->push_back({item.is_string() ? item.as_string()->get() : "",
                        At(item), item_name});
    }
  }

  void Bases(const toml::node& node) {
    const std::string name = "base_environment";
    if (const auto* one = node.as_string()) {
      if (!one->get().empty()) layer.bases = {{one->get(), At(node), name}};
      return;
    }
    if (!node.is_array()) {
      return Wrong(node, name, MakeText(edf_messages::kExpectStringOrStrings));
    }
    Texts(node, name, kMaxEdfFiles, &layer.bases);
  }

  const toml::table* Table(const toml::node& node, const char* name) {
    if (!node.is_table())
      Wrong(node, name, MakeText(edf_messages::kExpectTable));
    return node.as_table();
  }

  void Env(const toml::node& node) {
    const toml::table* table = Table(node, "env");
    if (table == nullptr) return;
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      if (!value.is_string()) {
        Wrong(value, absl::StrCat("env.", name),
              MakeText(edf_messages::kExpectString));
      } else if (name.empty() || name.find('=') != std::string::npos ||
                 !Keep(&layer.env, name, "env", value.as_string()->get(),
                       value)) {
        BadKey("env", name, value);
      }
    }
    if (layer.env.size() > kMaxEdfEntries) {
      TooMany(At(node), "env", layer.env.size(), kMaxEdfEntries);
    }
  }

  void Annotations(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, value] : table) {
      const std::string name = absl::StrCat(prefix, std::string(key.str()));
      if (key.str().empty() || name.size() > kMaxEdfKeyBytes) {
        BadKey("annotations", name, value);
      } else if (value.is_table()) {
        Annotations(*value.as_table(), absl::StrCat(name, "."));
      } else if (const std::optional<std::string> text = Stringified(value)) {
        if (layer.annotations.size() == kMaxEdfEntries) {
          return TooMany(At(value), "annotations", kMaxEdfEntries + 1,
                         kMaxEdfEntries);
        }
        if (!Keep(&layer.annotations, name, "annotations", *text, value)) {
          BadKey("annotations", name, value);
        }
      } else {
        Wrong(value, absl::StrCat("annotations.", name),
              MakeText(edf_messages::kExpectAnnotation));
      }
    }
  }

  // False: the key is too long, unprintable or repeated. A value with a zero
  // byte, which a process environment cannot contain, is a problem.
  bool Keep(std::map<std::string, EdfText>* map, const std::string& key,
            const char* table, const std::string& text,
            const toml::node& node) {
    const EdfText found = {text, At(node), absl::StrCat(table, ".", key)};
    if (key.size() > kMaxEdfKeyBytes || !PrintableLength(key)) return false;
    if (text.find('\0') != std::string::npos) {
      problems_->Refuse(EdfNumber::kSchema, found,
                        MakeText(edf_messages::kZeroByte));
    }
    return map->emplace(key, found).second;
  }

  void BadKey(const char* table, const std::string& key,
              const toml::node& node) {
    problems_->Add(
        EdfNumber::kSchema, At(node),
        MakeText(edf_messages::kInvalidKey, {{"table", Quoted(table)},
                                             {"key", Quoted(key)},
                                             {"max", kMaxEdfKeyBytes}}));
  }

  void TooMany(EdfPlace place, const std::string& name, size_t found,
               size_t max) {
    problems_->Add(
        EdfNumber::kLimit, std::move(place),
        MakeText(edf_messages::kTooManyEntries,
                 {{"name", Quoted(name)}, {"entries", found}, {"max", max}}));
  }

  const std::string& file_;
  EdfProblems* const problems_;
  EdfProblems* const warnings_;
};

void Append(std::vector<EdfText>* list, std::vector<EdfText> more) {
  for (EdfText& text : more) list->push_back(std::move(text));
}

void Override(std::map<std::string, EdfText>* table,
              std::map<std::string, EdfText> more) {
  more.merge(*table);  // entries of `more` take precedence
  *table = std::move(more);
}

}  // namespace

std::optional<EdfLayer> ReadEdfLayer(std::string_view text,
                                     const std::string& file,
                                     EdfProblems* problems,
                                     EdfProblems* warnings) {
  if (text.size() > kMaxEdfBytes) {
    problems->Add(EdfNumber::kLimit, {file, 0},
                  MakeText(edf_messages::kFileTooLong,
                           {{"bytes", text.size()}, {"max", kMaxEdfBytes}}));
    return std::nullopt;
  }
  if (!CheckTomlShape(text, file, problems)) return std::nullopt;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    problems->Add(EdfNumber::kSyntax,
                  {file, parsed.error().source().begin.line},
                  std::string(parsed.error().description()));
    return std::nullopt;
  }
  EdfProblems refused, unknown;
  Reader reader(file, &refused, &unknown);
  reader.Read(parsed.table());
  const bool good = refused.empty();
  problems->AddAll(std::move(refused));
  warnings->AddAll(std::move(unknown));
  if (!good) return std::nullopt;
  return std::move(reader.layer);
}

EdfLayer MergeEdfLayers(EdfLayer base, EdfLayer own) {
  if (own.image) base.image = std::move(own.image);
  if (own.workdir) base.workdir = std::move(own.workdir);
  if (own.writable) base.writable = own.writable;
  if (own.entrypoint) base.entrypoint = own.entrypoint;
  Append(&base.mounts, std::move(own.mounts));
  Append(&base.devices, std::move(own.devices));
  Override(&base.env, std::move(own.env));
  Override(&base.annotations, std::move(own.annotations));
  base.bases.clear();
  return base;
}

}  // namespace carme
