// A YAML file as a tree with line numbers, from a source that is not trusted:
// bounded in size, depth and nodes. Refused: anchors, aliases, tags, merge
// keys, a key twice, several documents, text that is not UTF-8.
#ifndef CARME_COMMON_YAML_YAML_DOCUMENT_H_
#define CARME_COMMON_YAML_YAML_DOCUMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme {

inline constexpr size_t kMaxYamlBytes = 256 * 1024;
inline constexpr int kMaxYamlDepth = 8;
inline constexpr size_t kMaxYamlNodes = 20000;

struct YamlEntry;

struct YamlNode {
  enum class Kind { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  std::string text;     // of a scalar
  bool quoted = false;  // a quoted scalar is a text, also "null" and "1"
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // of a map, in the file's order
  int line = 1;

  // Whether it is a scalar without a value: null, ~ or nothing.
  bool IsNull() const;
  // nullptr: this is no map, or has no such key.
  const YamlNode* Find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  YamlNode value;
};

// The INVALID_ARGUMENT of a file: "PATH:LINE: problem".
absl::Status YamlError(const std::string& path, int line,
                       const std::string& problem);

// `path` is for messages, which begin with "PATH:LINE: ". INVALID_ARGUMENT.
absl::StatusOr<YamlNode> ParseYaml(std::string_view text,
                                   const std::string& path);

}  // namespace carme

#endif  // CARME_COMMON_YAML_YAML_DOCUMENT_H_
