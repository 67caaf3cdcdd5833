#include "common/edf/toml_shape.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"

namespace carme {
namespace {

// Removes digits from the front of `text`; false: there are none.
bool CutDigits(std::string_view* text) {
  const size_t end =
      std::min(text->find_first_not_of("0123456789"), text->size());
  text->remove_prefix(end);
  return end > 0;
}

// `true`, `-12`, `1.5e-3`, with a bounded length.
bool IsPlainValue(std::string_view text) {
  constexpr size_t kMaxBytes = 40;
  if (text == "true" || text == "false") return true;
  if (text.size() > kMaxBytes) return false;
  if (text.starts_with("+") || text.starts_with("-")) text.remove_prefix(1);
  if (!CutDigits(&text)) return false;
  if (text.starts_with(".")) {
    text.remove_prefix(1);
    if (!CutDigits(&text)) return false;
  }
  if (text.starts_with("e") || text.starts_with("E")) {
    text.remove_prefix(1);
    if (text.starts_with("+") || text.starts_with("-")) text.remove_prefix(1);
    if (!CutDigits(&text)) return false;
  }
  return text.empty();
}

// Recognizes strings, comments and values as the parser does, up to the first
// error in the text: text after it is never parsed.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file, EdfProblems* problems)
      : text_(text), file_(file), problems_(problems) {}

  bool Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = kMarks.find(c) == std::string_view::npos;
      if (plain && (byte < 0x20 || byte > 0x7e)) return Stray(byte);
      if (value_ && plain) {
        if (!Value()) return false;
      } else if (c == '"' || c == '\'') {
        if (!String(c)) return false;
        value_ = false;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        if (!Mark(c)) return false;
        ++at_;
      }
    }
    return true;
  }

 private:
  static constexpr std::string_view kMarks = " \t\r\n#\"'[]{},=";

  // In open_, '[' is an array and 'h' the header of a table.
  bool Mark(char c) {
    switch (c) {
      case '[':
        open_.push_back(value_ ? '[' : 'h');
        break;
      case '{':
        open_.push_back('{');
        value_ = false;
        break;
      case ']':
      case '}':
        if (!open_.empty()) open_.pop_back();
        value_ = false;
        break;
      case '=':
        value_ = true;
        break;
      case ',':
        value_ = open_.ends_with('[');
        break;
      case '.':
        ++dots_;
        break;
      case '\n':
        ++line_;
        if (open_.empty()) {  // a statement's end
          dots_ = 0;
          value_ = false;
        }
    }
    if (open_.size() > kMaxEdfNesting) {
      return Fail(EdfNumber::kLimit, MakeText(edf_messages::kNestedTooDeep,
                                              {{"max", kMaxEdfNesting}}));
    }
    if (dots_ <= kMaxEdfDots) return true;
    return Fail(EdfNumber::kLimit,
                MakeText(edf_messages::kTooManyDots, {{"max", kMaxEdfDots}}));
  }

  bool Stray(unsigned byte) {
    return Fail(EdfNumber::kSyntax,
                MakeText(edf_messages::kByteOutsideQuotes,
                         {{"byte", absl::StrFormat("%02x", byte)}}));
  }

  // Up to a character that ends a value for the parser; quotes do not.
  bool Value() {
    const size_t end =
        std::min(text_.find_first_of(" \t\r\n#]},", at_), text_.size());
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end;
    value_ = false;
    if (IsPlainValue(value)) return true;
    return Fail(EdfNumber::kSyntax,
                MakeText(edf_messages::kNotAValue, {{"found", Quoted(value)}}));
  }

  bool String(char quote) {
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_).starts_with(three);
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !many_lines) return true;  // the parser reports it
      if (c == '\\' && quote == '"') {
        if (!Escape(many_lines)) return false;
      } else if (!many_lines && c == quote) {
        ++at_;
        return true;
      } else if (many_lines && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        // up to two more quotes are part of the string
        for (int i = 0; i < 2 && text_.substr(at_).starts_with(quote); ++i) {
          ++at_;
        }
        return true;
      } else {
        line_ += c == '\n';
        ++at_;
      }
    }
    return true;
  }

  // A backslash and its escape; in multi-line strings also the white space that
  // it removes, after which the parser continues.
  bool Escape(bool many_lines) {
    const std::string_view next = text_.substr(++at_, 1);
    if (next.find_first_of("btnfruU\"\\") == 0) {
      ++at_;
      return true;
    }
    const size_t begin = at_;
    while (many_lines && at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) !=
               std::string_view::npos) {
      line_ += text_[at_++] == '\n';
    }
    const bool ascii =
        at_ < text_.size() && static_cast<unsigned char>(text_[at_]) < 0x80;
    if (at_ > begin && ascii) return true;
    return Fail(EdfNumber::kSyntax, MakeText(edf_messages::kInvalidEscape));
  }

  bool Fail(EdfNumber number, DisplayText why) {
    problems_->Add(number, {file_, line_}, std::move(why));
    return false;
  }

  const std::string_view text_;
  const std::string& file_;
  EdfProblems* const problems_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  std::string open_;
  int dots_ = 0;
  bool value_ = false;  // a value may begin here
};

}  // namespace

bool CheckTomlShape(std::string_view text, const std::string& file,
                    EdfProblems* problems) {
  return Scanner(text, file, problems).Run();
}

}  // namespace carme
