#include "slurm-hooks/vet/config/vet_config.h"

#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"
#include "slurm-hooks/vet/config/messages.h"
#include "slurm-hooks/vet/config/quantity.h"

namespace carme::vet {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kMaxName = 80;
constexpr double kMaxTimeout_s = 86400;
constexpr std::string_view kDefault = R"(name: Default
evals:
- name: CPUs
  type: cpu
- name: Memory
  type: memory
- name: Memory errors
  type: ecc
  optional: true
- name: Temporary files
  type: filesystem
  path: /tmp
  min_free: 16 MB
  max_latency: 2 s
- name: User
  type: user
- name: GPUs
  type: gpu
  optional: true
- name: Clock
  type: clock_skew
- name: Network
  type: links
  payload: 16 MB
)";

const char* Expected(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kText:
      return "a text";
    case ParameterKind::kCount:
      return "a whole number";
    case ParameterKind::kNumber:
      return "a number, at least 0";
    case ParameterKind::kBool:
      return "true or false";
    case ParameterKind::kBytes:
      return "bytes, such as 4 GB";
    case ParameterKind::kRate:
      return "bytes a second, such as 15 GB/s";
    case ParameterKind::kSeconds:
      return "a time, such as 3 s";
    case ParameterKind::kTexts:
      return "a list of texts";
    case ParameterKind::kCommand:
      return "a text, or a list of a program and its arguments";
    case ParameterKind::kVariables:
      return "a map of names and texts; null is any value";
    case ParameterKind::kTopology:
      return "intranode, internode or full";
  }
  return "a value";
}

std::optional<bool> ParseBool(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "true" || lower == "yes" || lower == "on") return true;
  if (lower == "false" || lower == "no" || lower == "off") return false;
  return std::nullopt;
}

class Reader {
 public:
  Reader(const std::string& path, std::optional<absl::Duration> timeout)
      : path_(path), timeout_(timeout) {}

  absl::StatusOr<VetConfig> Read(const YamlNode& root) {
    if (root.kind != Kind::kMap) {
      return Refuse(root, config_messages::kExpectedMap,
                    {{"subject", "the file"}});
    }
    const YamlNode* evaluations = nullptr;
    for (const auto& [key, value] : root.entries) {
      if (key == "name") {
        ASSIGN_OR_RETURN(config_.name, Name(value, key));
      } else if (key == "evals") {
        evaluations = &value;
      } else if (key == "scheduler") {
        if (value.text != "slurm" && value.text != "standalone") {
          return Refuse(value, config_messages::kScheduler,
                        {{"value", Readable(value.text, kMaxName)}});
        }
      } else if (key == "pip") {
        Ignore(value, key, "Carme installs no packages");
      } else {
        return Unknown(value, key, "name, evals, scheduler, pip");
      }
    }
    if (config_.name.empty()) return Missing(root, "name", "the file");
    if (evaluations == nullptr) return Missing(root, "evals", "the file");
    if (evaluations->kind != Kind::kList) {
      return Refuse(*evaluations, config_messages::kExpectedList,
                    {{"subject", "evals"}});
    }
    if (evaluations->items.empty()) {
      return Refuse(*evaluations, config_messages::kNoEvaluations);
    }
    if (evaluations->items.size() > kMaxEvaluations) {
      return Refuse(*evaluations, config_messages::kTooManyEvaluations,
                    {{"max", kMaxEvaluations}});
    }
    for (const YamlNode& item : evaluations->items) {
      RETURN_IF_ERROR(ReadEvaluation(item));
    }
    return std::move(config_);
  }

 private:
  absl::Status Refuse(const YamlNode& node, const MessageTemplate& problem,
                      std::initializer_list<MessageValue> values = {}) const {
    return YamlError(path_, node.line, FormatMessage(problem, values));
  }
  absl::Status Unknown(const YamlNode& node, const std::string& key,
                       const std::string& expected) const {
    return Refuse(node, config_messages::kUnknownKey,
                  {{"key", Readable(key, kMaxName)}, {"expected", expected}});
  }
  absl::Status Missing(const YamlNode& node, std::string_view key,
                       const std::string& subject) const {
    return Refuse(node, config_messages::kMissingKey,
                  {{"key", key}, {"subject", subject}});
  }
  void Ignore(const YamlNode& node, std::string_view key,
              std::string_view reason) {
    config_.notes.push_back(
        FormatMessage(config_messages::kIgnored, {{"path", path_},
                                                  {"line", node.line},
                                                  {"key", key},
                                                  {"reason", reason}}));
  }

  absl::StatusOr<std::string> Name(const YamlNode& node,
                                   const std::string& key) const {
    if (node.kind != Kind::kScalar || node.text.empty()) {
      return Refuse(node, config_messages::kExpectedText, {{"subject", key}});
    }
    const auto length = PrintableLength(node.text);
    if (!length.has_value()) {
      return Refuse(node, config_messages::kNotPrintable, {{"key", key}});
    }
    return Readable(node.text, kMaxName);
  }

  absl::Status ReadEvaluation(const YamlNode& node) {
    if (node.kind != Kind::kMap) {
      return Refuse(node, config_messages::kExpectedMap,
                    {{"subject", "an evaluation"}});
    }
    Evaluation evaluation;
    const YamlNode* const name = node.Find("name");
    if (name == nullptr) return Missing(node, "name", "an evaluation");
    ASSIGN_OR_RETURN(evaluation.name, Name(*name, "name"));
    const YamlNode* const type = node.Find("type");
    if (type == nullptr) return Missing(node, "type", evaluation.name);
    const EvaluationName found = FindEvaluationType(type->text);
    evaluation.type = found.type;
    if (evaluation.type == nullptr) {
      return Refuse(*type, config_messages::kUnknownType,
                    {{"type", Readable(type->text, kMaxName)},
                     {"expected", TypeNames()}});
    }
    evaluation.timeout =
        timeout_.value_or(absl::Seconds(evaluation.type->timeout_s));
    RETURN_IF_ERROR(SetDefaults(found, *type, &evaluation));
    for (const auto& [key, value] : node.entries) {
      if (key == "name" || (&value == type)) continue;
      RETURN_IF_ERROR(ReadEntry(key, value, &evaluation));
    }
    for (const ParameterType& parameter : evaluation.type->parameters) {
      if (parameter.is_required && !seen_.contains(parameter.key)) {
        return Missing(node, parameter.key, evaluation.name);
      }
      if (parameter.is_between_nodes && seen_.contains(parameter.key) &&
          !IsMeasuredBetweenNodes(evaluation)) {
        return Refuse(*node.Find(parameter.key),
                      config_messages::kOnlyBetweenNodes,
                      {{"key", parameter.key}});
      }
    }
    seen_.clear();
    config_.evaluations.push_back(std::move(evaluation));
    return absl::OkStatus();
  }

  absl::Status SetDefaults(const EvaluationName& name, const YamlNode& type,
                           Evaluation* evaluation) {
    for (const ParameterDefault& parameter : name.defaults) {
      YamlNode value;
      value.line = type.line;
      value.text = std::string(parameter.value);
      RETURN_IF_ERROR(
          ReadParameter(std::string(parameter.key), value, evaluation));
    }
    return absl::OkStatus();
  }

  static std::string TypeNames() {
    return absl::StrJoin(Catalogue(), ", ",
                         [](std::string* out, const EvaluationType& type) {
                           out->append(type.name);
                         });
  }

  absl::Status ReadEntry(const std::string& key, const YamlNode& value,
                         Evaluation* evaluation) {
    if (key == "requirements") {
      Ignore(value, key, "Carme installs no packages");
      return absl::OkStatus();
    }
    if (key == "scheduler") {
      Ignore(value, key, "Carme detects Slurm by the variables of the job");
      return absl::OkStatus();
    }
    if (key == "optional") {
      const auto optional = ParseBool(value.text);
      if (!optional.has_value()) {
        return BadValue(value, key, ParameterKind::kBool);
      }
      evaluation->is_optional = *optional;
      return absl::OkStatus();
    }
    if (key == "timeout") {
      const auto seconds = ParseSeconds(value.text);
      if (!seconds.has_value() || *seconds <= 0 || *seconds > kMaxTimeout_s) {
        return BadValue(value, key, ParameterKind::kSeconds);
      }
      evaluation->timeout = absl::Seconds(*seconds);
      return absl::OkStatus();
    }
    return ReadParameter(key, value, evaluation);
  }

  absl::Status ReadParameter(const std::string& key, const YamlNode& value,
                             Evaluation* evaluation) {
    bool is_group = false;
    for (const ParameterType& parameter : evaluation->type->parameters) {
      if (parameter.key == key) return Store(parameter, value, evaluation);
      is_group = is_group || parameter.key.starts_with(key + ".");
    }
    if (is_group && value.kind == Kind::kMap) {
      for (const auto& [inner, inner_value] : value.entries) {
        RETURN_IF_ERROR(ReadParameter(absl::StrCat(key, ".", inner),
                                      inner_value, evaluation));
      }
      return absl::OkStatus();
    }
    if (is_group) {
      return Refuse(value, config_messages::kExpectedMap, {{"subject", key}});
    }
    std::string expected =
        absl::StrJoin(evaluation->type->parameters, ", ",
                      [](std::string* out, const ParameterType& parameter) {
                        out->append(parameter.key);
                      });
    if (!expected.empty()) expected += ", ";
    return Unknown(value, key, expected + "timeout, optional");
  }

  absl::Status BadValue(const YamlNode& value, std::string_view key,
                        ParameterKind kind) const {
    if (value.kind != Kind::kScalar) {
      return Refuse(value, config_messages::kBadShape,
                    {{"key", key}, {"expected", Expected(kind)}});
    }
    return Refuse(value, config_messages::kBadValue,
                  {{"key", key},
                   {"value", Readable(value.text, kMaxName)},
                   {"expected", Expected(kind)}});
  }

  absl::Status Store(const ParameterType& parameter, const YamlNode& value,
                     Evaluation* evaluation) {
    if (!parameter.ignored.empty()) {
      Ignore(value, parameter.key, parameter.ignored);
      return absl::OkStatus();
    }
    auto parsed = Parse(parameter.kind, value);
    if (!parsed.has_value()) {
      return BadValue(value, parameter.key, parameter.kind);
    }
    seen_.insert(parameter.key);
    evaluation->parameters.Set(parameter.key, std::move(*parsed));
    return absl::OkStatus();
  }

  static std::optional<Parameters::Value> Parse(ParameterKind kind,
                                                const YamlNode& value) {
    switch (kind) {
      case ParameterKind::kTexts:
        return ParseTexts(value);
      case ParameterKind::kVariables:
        return ParseVariables(value);
      case ParameterKind::kCommand:
        if (value.kind == Kind::kScalar && !value.text.empty()) {
          return std::make_optional<Parameters::Value>(
              Texts{"/bin/sh", "-c", value.text});
        }
        return value.items.empty() ? std::nullopt : ParseTexts(value);
      case ParameterKind::kText:
        if (value.kind != Kind::kScalar || value.text.empty()) {
          return std::nullopt;
        }
        return std::make_optional<Parameters::Value>(value.text);
      case ParameterKind::kTopology:
        if (value.text != kIntranode && value.text != kInternode &&
            value.text != kFull) {
          return std::nullopt;
        }
        return std::make_optional<Parameters::Value>(value.text);
      case ParameterKind::kBool: {
        const auto parsed = ParseBool(value.text);
        if (!parsed.has_value()) return std::nullopt;
        return std::make_optional<Parameters::Value>(*parsed);
      }
      default:
        return ParseQuantity(kind, value);
    }
  }

  static std::optional<Parameters::Value> ParseQuantity(ParameterKind kind,
                                                        const YamlNode& value) {
    std::optional<double> number;
    if (kind == ParameterKind::kBytes) {
      number = ParseBytes(value.text);
    } else if (kind == ParameterKind::kRate) {
      number = ParseRate(value.text);
    } else if (kind == ParameterKind::kSeconds) {
      number = ParseSeconds(value.text);
    } else {
      number = ParseNumber(value.text);
    }
    if (!number.has_value() ||
        (kind == ParameterKind::kCount && std::floor(*number) != *number)) {
      return std::nullopt;
    }
    return std::make_optional<Parameters::Value>(*number);
  }

  static std::optional<Parameters::Value> ParseTexts(const YamlNode& value) {
    if (value.kind != Kind::kList) return std::nullopt;
    Texts texts;
    for (const YamlNode& item : value.items) {
      if (item.kind != Kind::kScalar) return std::nullopt;
      texts.push_back(item.text);
    }
    return std::make_optional<Parameters::Value>(std::move(texts));
  }

  static std::optional<Parameters::Value> ParseVariables(
      const YamlNode& value) {
    if (value.kind != Kind::kMap || value.entries.empty()) return std::nullopt;
    Variables variables;
    for (const auto& [name, text] : value.entries) {
      if (text.kind != Kind::kScalar) return std::nullopt;
      variables[name] = text.IsNull() ? std::nullopt : std::optional(text.text);
    }
    return std::make_optional<Parameters::Value>(std::move(variables));
  }

  const std::string& path_;
  const std::optional<absl::Duration> timeout_;
  VetConfig config_;
  std::set<std::string_view> seen_;
};

template <typename T>
const T* ValueOf(
    const std::map<std::string, Parameters::Value, std::less<>>& in,
    std::string_view key) {
  const auto found = in.find(key);
  return found == in.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

std::optional<double> Parameters::Number(std::string_view key) const {
  const auto* const value = ValueOf<double>(values_, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string Parameters::Text(std::string_view key,
                             std::string_view otherwise) const {
  const auto* const value = ValueOf<std::string>(values_, key);
  return value == nullptr ? std::string(otherwise) : *value;
}

bool Parameters::Bool(std::string_view key, bool otherwise) const {
  const auto* const value = ValueOf<bool>(values_, key);
  return value == nullptr ? otherwise : *value;
}

Texts Parameters::List(std::string_view key) const {
  const auto* const value = ValueOf<Texts>(values_, key);
  return value == nullptr ? Texts() : *value;
}

Variables Parameters::Map(std::string_view key) const {
  const auto* const value = ValueOf<Variables>(values_, key);
  return value == nullptr ? Variables() : *value;
}

bool IsMeasuredWithinNode(const Evaluation& evaluation) {
  return evaluation.parameters.Text("topology", kIntranode) != kInternode;
}

bool IsMeasuredBetweenNodes(const Evaluation& evaluation) {
  return evaluation.parameters.Text("topology", kIntranode) != kIntranode;
}

absl::StatusOr<VetConfig> ParseVetConfig(
    std::string_view text, const std::string& path,
    std::optional<absl::Duration> default_timeout) {
  ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  return Reader(path, default_timeout).Read(root);
}

std::string_view DefaultVetConfig() { return kDefault; }

}  // namespace carme::vet
