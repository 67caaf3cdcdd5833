// carme.v1.TextCode: what a client needs to write a text in another language.
#ifndef CARME_COMMON_PROTOBUF_TEXT_CODE_H_
#define CARME_COMMON_PROTOBUF_TEXT_CODE_H_

#include <string>
#include <string_view>

#include "carme/v1/text_code.pb.h"
#include "common/display_text.h"

namespace carme {

// Texts in texts, beyond which a text is written in English only.
inline constexpr int kMaxTextDepth = 8;

// Code and values, without the text itself. Values that are not UTF-8 become
// readable. Empty: the text has no code.
v1::TextCode TextCodeOf(const DisplayText& text);
// Sets the field of a text's code; a text without a code leaves it absent.
template <typename Message>
void FillTextCode(const DisplayText& text, v1::TextCode* (Message::*field)(),
                  Message* message) {
  if (!text.code.empty()) *(message->*field)() = TextCodeOf(text);
}
// The text with the code that belongs to it.
DisplayText DisplayTextOf(std::string text, const v1::TextCode& code);

// The same for a column of the database; empty: no code. Bytes that are no code
// leave the text without one.
std::string SerializeTextCode(const DisplayText& text);
DisplayText ParseDisplayText(std::string text, std::string_view code);

}  // namespace carme

#endif  // CARME_COMMON_PROTOBUF_TEXT_CODE_H_
