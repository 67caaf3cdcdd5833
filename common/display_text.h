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
  DisplayText();
  // Without a code.
  DisplayText(std::string text_in);  // NOLINT(google-explicit-constructor)
  DisplayText(const char* text_in);  // NOLINT(google-explicit-constructor)
  DisplayText(const DisplayText& other);
  DisplayText(DisplayText&& other) noexcept;
  DisplayText& operator=(const DisplayText& other);
  DisplayText& operator=(DisplayText&& other) noexcept;
  ~DisplayText();

  bool empty() const { return text.empty(); }
  void clear();

  std::string text;
  std::string code;
  std::vector<DisplayParameter> parameters;
};

// The value of a parameter of a text. It may be a text itself.
struct DisplayParameter {
  std::string name;
  DisplayText value;
};

// These need the complete parameter.
inline DisplayText::DisplayText() = default;
inline DisplayText::DisplayText(std::string text_in)
    : text(std::move(text_in)) {}
inline DisplayText::DisplayText(const char* text_in) : text(text_in) {}
inline DisplayText::DisplayText(const DisplayText& other) = default;
inline DisplayText::DisplayText(DisplayText&& other) noexcept = default;
inline DisplayText& DisplayText::operator=(const DisplayText& other) = default;
inline DisplayText& DisplayText::operator=(DisplayText&& other) noexcept =
    default;
inline DisplayText::~DisplayText() = default;
inline void DisplayText::clear() { *this = DisplayText(); }

bool operator==(const DisplayParameter& a, const DisplayParameter& b);
inline bool operator==(const DisplayText& a, const DisplayText& b) {
  return a.text == b.text && a.code == b.code && a.parameters == b.parameters;
}
inline bool operator==(const DisplayParameter& a, const DisplayParameter& b) {
  return a.name == b.name && a.value == b.value;
}

}  // namespace carme

#endif  // CARME_COMMON_DISPLAY_TEXT_H_
