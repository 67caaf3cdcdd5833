// Messages that people read. Each feature has them in one place, its
// `messages.h`, so that they can be found, compared and translated; code gives
// them only values:
//
//   inline constexpr ErrorTemplate kTooManyMembers{
//       absl::StatusCode::kResourceExhausted, "PROJECT_TOO_MANY_MEMBERS",
//       "the project has {members} members: expected fewer than {max}"};
//
// tests/lint/check_messages compares the parameters with those of the callers.
#ifndef CARME_COMMON_MESSAGE_H_
#define CARME_COMMON_MESSAGE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/display_text.h"

namespace carme {

// A message that is not an error, in English only. `{name}` is a parameter.
struct MessageTemplate {
  std::string_view text;
};

// A message that clients can write in another language. `code` is its stable
// identifier, as the reason of an ErrorTemplate.
struct TextTemplate {
  std::string_view code;
  std::string_view text;
};

// An error. `reason` is its stable identifier, UPPER_SNAKE_CASE and unique in
// the tree: clients and translations use it, never the text.
struct ErrorTemplate {
  absl::StatusCode code;
  std::string_view reason;
  std::string_view text;
};

// The value of a parameter: {"members", 12}. A null pointer is the empty text.
struct MessageValue {
  template <typename T>
  MessageValue(std::string_view name_in, const T& value_in) : name(name_in) {
    if constexpr (std::is_same_v<T, DisplayText>) {
      value = value_in;
    } else if constexpr (std::is_pointer_v<T>) {
      if (value_in != nullptr) value.text = std::string(value_in);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      value.text = std::string(std::string_view(value_in));
    } else {
      value.text = absl::StrCat(value_in);
    }
  }
  std::string_view name;
  DisplayText value;
};

// The text with its values. A parameter without a value stays as it is. Values
// are inserted unchanged: braces in them are not parameters.
std::string FormatMessage(std::string_view text,
                          std::initializer_list<MessageValue> values);
std::string FormatMessage(const MessageTemplate& message,
                          std::initializer_list<MessageValue> values = {});
// The text in English only, for mails and logs.
std::string FormatMessage(const TextTemplate& message,
                          std::initializer_list<MessageValue> values = {});
// The text with its code and values.
DisplayText MakeText(const TextTemplate& message,
                     std::initializer_list<MessageValue> values = {});

// "a; b; c".
DisplayText JoinTexts(const std::vector<DisplayText>& texts);

// A status with code and text, without details: for programs that do not speak
// gRPC. MakeError (common/protobuf/message_error.h) adds the details.
absl::Status MakePlainError(const ErrorTemplate& error,
                            std::initializer_list<MessageValue> values = {});

}  // namespace carme

#endif  // CARME_COMMON_MESSAGE_H_
