#include "common/config/config.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/toml.h"
#include "common/file.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr char kConfiguredKey[] = "configured";
constexpr char kNotConfiguredPayload[] = "carme/not-configured";

// The key is not the program's: it is removed from the table.
absl::Status TakeConfiguredKey(toml::table* table, const std::string& path) {
  const toml::node* found = table->get(kConfiguredKey);
  if (found == nullptr) return absl::OkStatus();
  const uint32_t line = found->source().begin.line;
  const std::optional<bool> configured = found->value_exact<bool>();
  if (!configured.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":", line, ": \"configured\": expected true or false"));
  }
  table->erase(kConfiguredKey);
  if (*configured) return absl::OkStatus();
  absl::Status status = absl::FailedPreconditionError(
      absl::StrCat(path, ":", line,
                   ": not configured: set the keys of this file for your "
                   "site, then delete the line \"configured = false\""));
  status.SetPayload(kNotConfiguredPayload, absl::Cord());
  return status;
}

}  // namespace

bool IsNotConfigured(const absl::Status& status) {
  return status.GetPayload(kNotConfiguredPayload).has_value();
}

struct ConfigFile::State {
  std::string path;
  toml::table table;
  std::vector<std::pair<uint32_t, std::string>> errors;  // line, message
  std::vector<std::shared_ptr<ConfigTable::Node>> nodes;

  void Add(uint32_t line, std::string message) {
    errors.emplace_back(line, std::move(message));
  }
};

struct ConfigTable::Node {
  ConfigFile::State* state = nullptr;
  std::string prefix;                  // "tls." or empty
  const toml::table* table = nullptr;  // null: absent from the file
  uint32_t line = 0;
  std::set<std::string, std::less<>> known;

  const toml::node* Find(std::string_view key) {
    known.emplace(key);
    return table == nullptr ? nullptr : table->get(key);
  }
  void WrongType(const toml::node& node, std::string_view key,
                 std::string_view expected) {
    state->Add(node.source().begin.line,
               absl::StrCat("\"", prefix, std::string(key), "\": expected ",
                            std::string(expected)));
  }
  void Missing(std::string_view key, const ConfigRule& rule) {
    if (!rule.required) return;
    state->Add(line,
               absl::StrCat("\"", prefix, std::string(key), "\" is missing"));
  }
};

ConfigTable::ConfigTable(std::shared_ptr<Node> node) : node_(std::move(node)) {}
ConfigFile::ConfigFile(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

absl::StatusOr<ConfigFile> ConfigFile::Load(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Parse(text, path);
}

absl::StatusOr<ConfigFile> ConfigFile::Parse(std::string_view text,
                                             const std::string& path) {
  toml::parse_result result = toml::parse(text, path);
  if (!result) {
    const toml::parse_error& error = result.error();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ":", error.source().begin.line, ": ",
                     std::string(error.description())));
  }
  auto state = std::make_shared<State>();
  state->path = path;
  state->table = std::move(result).table();
  RETURN_IF_ERROR(TakeConfiguredKey(&state->table, path));
  return ConfigFile(std::move(state));
}

ConfigTable ConfigFile::root() {
  auto node = std::make_shared<ConfigTable::Node>();
  node->state = state_.get();
  node->table = &state_->table;
  node->line = 1;
  state_->nodes.push_back(node);
  return ConfigTable(std::move(node));
}

absl::Status ConfigFile::Finish() {
  for (const auto& node : state_->nodes) {
    if (node->table == nullptr) continue;
    for (const auto& [key, value] : *node->table) {
      if (node->known.contains(key.str())) continue;
      state_->Add(value.source().begin.line,
                  absl::StrCat("unknown key \"", node->prefix,
                               std::string(key.str()), "\""));
    }
  }
  if (state_->errors.empty()) return absl::OkStatus();
  std::stable_sort(state_->errors.begin(), state_->errors.end());
  return absl::InvalidArgumentError(absl::StrJoin(
      state_->errors, "\n", [this](std::string* out, const auto& error) {
        absl::StrAppend(out, state_->path, ":", error.first, ": ",
                        error.second);
      }));
}

void ConfigTable::Refuse(std::string_view key, std::string_view message) {
  const toml::node* found = node_->Find(key);
  node_->state->Add(found ? found->source().begin.line : node_->line,
                    absl::StrCat("\"", node_->prefix, std::string(key),
                                 "\": ", std::string(message)));
}

bool ConfigTable::Has(std::string_view key) const {
  return node_->table != nullptr && node_->table->contains(key);
}

std::vector<std::string> ConfigTable::Keys() const {
  std::vector<std::string> keys;
  if (node_->table == nullptr) return keys;
  for (const auto& [key, value] : *node_->table) keys.emplace_back(key.str());
  return keys;
}

void ConfigTable::Read(std::string_view key, std::string* value,
                       ConfigRule rule) {
  const toml::node* found = node_->Find(key);
  if (found == nullptr) {
    node_->Missing(key, rule);
  } else if (!found->is_string()) {
    node_->WrongType(*found, key, "a string");
  } else {
    *value = found->as_string()->get();
    if (rule.required && value->empty()) Refuse(key, "must not be empty");
  }
}

void ConfigTable::Read(std::string_view key, bool* value, ConfigRule rule) {
  const toml::node* found = node_->Find(key);
  if (found == nullptr) {
    node_->Missing(key, rule);
  } else if (!found->is_boolean()) {
    node_->WrongType(*found, key, "true or false");
  } else {
    *value = found->as_boolean()->get();
  }
}

void ConfigTable::Read(std::string_view key, int64_t* value, ConfigRule rule) {
  const toml::node* found = node_->Find(key);
  if (found == nullptr) {
    node_->Missing(key, rule);
  } else if (!found->is_integer()) {
    node_->WrongType(*found, key, "an integer");
  } else if (const int64_t number = found->as_integer()->get();
             number < rule.min || number > rule.max) {
    Refuse(key, absl::StrCat(number, " is out of range: expected ", rule.min,
                             " to ", rule.max));
  } else {
    *value = number;
  }
}

void ConfigTable::Read(std::string_view key, int* value, ConfigRule rule) {
  int64_t number = *value;
  rule.min = std::max<int64_t>(rule.min, INT32_MIN);
  rule.max = std::min<int64_t>(rule.max, INT32_MAX);
  Read(key, &number, rule);
  *value = static_cast<int>(number);
}

void ConfigTable::Read(std::string_view key, absl::Duration* value,
                       ConfigRule rule) {
  const absl::Duration unit =
      absl::EndsWith(std::string(key), "_ms")    ? absl::Milliseconds(1)
      : absl::EndsWith(std::string(key), "_min") ? absl::Minutes(1)
                                                 : absl::Seconds(1);
  int64_t number = *value / unit;
  rule.min = std::max<int64_t>(rule.min, 0);
  Read(key, &number, rule);
  *value = number * unit;
}

void ConfigTable::Read(std::string_view key, std::vector<std::string>* value,
                       ConfigRule rule) {
  const toml::node* found = node_->Find(key);
  if (found == nullptr) {
    node_->Missing(key, rule);
    return;
  }
  const toml::array* array = found->as_array();
  if (array == nullptr ||
      (!array->empty() && !array->is_homogeneous(toml::node_type::string))) {
    node_->WrongType(*found, key, "a list of strings");
    return;
  }
  value->clear();
  for (const toml::node& item : *array) {
    value->push_back(item.as_string()->get());
  }
  if (rule.required && value->empty()) Refuse(key, "must not be empty");
}

ConfigTable ConfigTable::Table(std::string_view key) {
  auto node = std::make_shared<Node>();
  node->state = node_->state;
  node->prefix = absl::StrCat(node_->prefix, std::string(key), ".");
  node->line = node_->line;
  if (const toml::node* found = node_->Find(key); found != nullptr) {
    node->line = found->source().begin.line;
    node->table = found->as_table();
    if (node->table == nullptr) node_->WrongType(*found, key, "a table");
  }
  node_->state->nodes.push_back(node);
  return ConfigTable(std::move(node));
}

std::vector<ConfigTable> ConfigTable::Tables(std::string_view key) {
  std::vector<ConfigTable> tables;
  const toml::node* found = node_->Find(key);
  if (found == nullptr) return tables;
  const toml::array* array = found->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    node_->WrongType(*found, key, "an array of tables");
    return tables;
  }
  for (const toml::node& item : *array) {
    auto node = std::make_shared<Node>();
    node->state = node_->state;
    node->prefix = absl::StrCat(node_->prefix, std::string(key), ".");
    node->line = item.source().begin.line;
    node->table = item.as_table();
    node_->state->nodes.push_back(node);
    tables.push_back(ConfigTable(std::move(node)));
  }
  return tables;
}

}  // namespace carme
