// Errors of YAML files.
#ifndef CARME_COMMON_YAML_MESSAGES_H_
#define CARME_COMMON_YAML_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::yaml_messages {

// What all errors begin with: where, then one of those below.
inline constexpr ErrorTemplate kAt{absl::StatusCode::kInvalidArgument,
                                   "YAML_INVALID", "{path}:{line}: {problem}"};

inline constexpr MessageTemplate kTooLarge{
    "the file has more than {max} bytes"};
inline constexpr MessageTemplate kTooDeep{
    "lists and maps are nested more than {max} deep"};
inline constexpr MessageTemplate kTooManyNodes{
    "the file has more than {max} values"};
inline constexpr MessageTemplate kNotUtf8{"the file is not UTF-8"};
inline constexpr MessageTemplate kNotYaml{"not YAML: {problem}"};
inline constexpr MessageTemplate kEmpty{"the file is empty"};
inline constexpr MessageTemplate kSecondDocument{
    "a second document begins: expected one"};
inline constexpr MessageTemplate kAnchor{
    "anchors and aliases are not supported: write the value out"};
inline constexpr MessageTemplate kTag{
    "tag \"{tag}\" is not supported: write a plain value"};
inline constexpr MessageTemplate kMergeKey{
    "merge key \"<<\" is not supported: write the keys out"};
inline constexpr MessageTemplate kKeyNotText{
    "a key is a list or a map: expected a text"};
inline constexpr MessageTemplate kKeyTwice{"\"{key}\" is set twice"};

}  // namespace carme::yaml_messages

#endif  // CARME_COMMON_YAML_MESSAGES_H_
