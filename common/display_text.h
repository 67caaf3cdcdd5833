// A text for people that can be written in several languages.
#ifndef CARME_COMMON_DISPLAY_TEXT_H_
#define CARME_COMMON_DISPLAY_TEXT_H_

#include <string>
#include <utility>
#include <vector>

namespace carme {

struct DisplayParameter;

// A text in English, and what a client needs to write it in another language:
// the code of its TextTemplate (common/message.h) and the values. A text
// without a code is shown as it is.
struct DisplayText {
  DisplayText() = default;
  // Without a code.
  DisplayText(std::string text_in) : text(std::move(text_in)) {}
  DisplayText(const char* text_in) : text(text_in) {}

  bool empty() const { return text.empty(); }
  void clear() { *this = DisplayText(); }

  std::string text;
  std::string code;
  std::vector<DisplayParameter> parameters;
  friend bool operator==(const DisplayText&, const DisplayText&) = default;
};

// The value of a parameter of a text. It may be a text itself.
struct DisplayParameter {
  std::string name;
  DisplayText value;
  friend bool operator==(const DisplayParameter&,
                         const DisplayParameter&) = default;
};

}  // namespace carme

#endif  // CARME_COMMON_DISPLAY_TEXT_H_
