#include "common/yaml/yaml_document.h"

#include <yaml.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/yaml/messages.h"

namespace carme {
namespace {

std::string Text(const yaml_char_t* text, size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

// libyaml's events, one at a time.
class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : path_(path) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()),
        text.size());
  }
  Parser(const Parser&) = delete;
  ~Parser() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  absl::StatusOr<YamlNode> Document() {
    RETURN_IF_ERROR(Next());  // the stream starts
    RETURN_IF_ERROR(Next());
    if (event_.type == YAML_STREAM_END_EVENT) {
      return Refuse(yaml_messages::kEmpty);
    }
    RETURN_IF_ERROR(Next());
    ASSIGN_OR_RETURN(YamlNode root, Value(0));
    RETURN_IF_ERROR(Next());  // the document ends
    RETURN_IF_ERROR(Next());
    if (event_.type != YAML_STREAM_END_EVENT) {
      return Refuse(yaml_messages::kSecondDocument);
    }
    return root;
  }

 private:
  int Line() const { return static_cast<int>(event_.start_mark.line) + 1; }

  absl::Status RefuseAt(int line, const std::string& problem) const {
    return YamlError(path_, line, problem);
  }
  absl::Status Refuse(const MessageTemplate& problem,
                      std::initializer_list<MessageValue> values = {}) const {
    return RefuseAt(Line(), FormatMessage(problem, values));
  }

  absl::Status Next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 1) return absl::OkStatus();
    const std::string problem =
        parser_.problem == nullptr ? "unknown error" : parser_.problem;
    const size_t line =
        parser_.error == YAML_READER_ERROR ? 0 : parser_.problem_mark.line;
    return RefuseAt(
        static_cast<int>(line) + 1,
        FormatMessage(yaml_messages::kNotYaml, {{"problem", problem}}));
  }

  absl::Status CheckPlain(const yaml_char_t* anchor, const yaml_char_t* tag,
                          bool tag_implied) {
    if (anchor != nullptr) return Refuse(yaml_messages::kAnchor);
    if (tag != nullptr && !tag_implied) {
      const std::string name = reinterpret_cast<const char*>(tag);
      return Refuse(yaml_messages::kTag, {{"tag", Readable(name, 80)}});
    }
    return absl::OkStatus();
  }

  // The value that begins with the current event.
  absl::StatusOr<YamlNode> Value(int depth) {
    if (depth > kMaxYamlDepth) {
      return Refuse(yaml_messages::kTooDeep, {{"max", kMaxYamlDepth}});
    }
    if (++nodes_ > kMaxYamlNodes) {
      return Refuse(yaml_messages::kTooManyNodes, {{"max", kMaxYamlNodes}});
    }
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        return Scalar();
      case YAML_SEQUENCE_START_EVENT:
        return List(depth);
      case YAML_MAPPING_START_EVENT:
        return Map(depth);
      default:
        return Refuse(yaml_messages::kAnchor);  // an alias
    }
  }

  absl::StatusOr<YamlNode> Scalar() {
    const auto& scalar = event_.data.scalar;
    RETURN_IF_ERROR(
        CheckPlain(scalar.anchor, scalar.tag,
                   scalar.plain_implicit != 0 || scalar.quoted_implicit != 0));
    YamlNode node;
    node.line = Line();
    node.text = Text(scalar.value, scalar.length);
    node.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return node;
  }

  absl::StatusOr<YamlNode> List(int depth) {
    const auto& start = event_.data.sequence_start;
    RETURN_IF_ERROR(CheckPlain(start.anchor, start.tag, start.implicit != 0));
    YamlNode node;
    node.kind = YamlNode::Kind::kList;
    node.line = Line();
    while (true) {
      RETURN_IF_ERROR(Next());
      if (event_.type == YAML_SEQUENCE_END_EVENT) return node;
      ASSIGN_OR_RETURN(YamlNode item, Value(depth + 1));
      node.items.push_back(std::move(item));
    }
  }

  absl::StatusOr<YamlNode> Map(int depth) {
    const auto& start = event_.data.mapping_start;
    RETURN_IF_ERROR(CheckPlain(start.anchor, start.tag, start.implicit != 0));
    YamlNode node;
    node.kind = YamlNode::Kind::kMap;
    node.line = Line();
    while (true) {
      RETURN_IF_ERROR(Next());
      if (event_.type == YAML_MAPPING_END_EVENT) return node;
      ASSIGN_OR_RETURN(const YamlNode key, Value(depth + 1));
      if (key.kind != YamlNode::Kind::kScalar) {
        return RefuseAt(key.line, FormatMessage(yaml_messages::kKeyNotText));
      }
      if (key.text == "<<") {
        return RefuseAt(key.line, FormatMessage(yaml_messages::kMergeKey));
      }
      if (node.Find(key.text) != nullptr) {
        return RefuseAt(key.line,
                        FormatMessage(yaml_messages::kKeyTwice,
                                      {{"key", Readable(key.text, 80)}}));
      }
      RETURN_IF_ERROR(Next());
      ASSIGN_OR_RETURN(YamlNode value, Value(depth + 1));
      node.entries.push_back({key.text, std::move(value)});
    }
  }

  const std::string path_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  size_t nodes_ = 0;
};

}  // namespace

bool YamlNode::IsNull() const {
  return kind == Kind::kScalar && !quoted &&
         (text.empty() || text == "~" || text == "null" || text == "Null" ||
          text == "NULL");
}

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::Status YamlError(const std::string& path, int line,
                       const std::string& problem) {
  return MakePlainError(yaml_messages::kAt,
                        {{"path", path}, {"line", line}, {"problem", problem}});
}

absl::StatusOr<YamlNode> ParseYaml(std::string_view text,
                                   const std::string& path) {
  const auto refuse = [&](const std::string& problem) {
    return YamlError(path, 1, problem);
  };
  if (text.size() > kMaxYamlBytes) {
    return refuse(
        FormatMessage(yaml_messages::kTooLarge, {{"max", kMaxYamlBytes}}));
  }
  if (!IsUtf8(text)) return refuse(FormatMessage(yaml_messages::kNotUtf8));
  return Parser(text, path).Document();
}

}  // namespace carme
