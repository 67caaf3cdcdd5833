#include "common/edf/expansion.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"

namespace carme {
namespace {

constexpr int kMaxDepth = 8;  // of nested defaults

bool BeginsName(char c) { return kVariableNameRule.first.Contains(c); }
bool ContinuesName(char c) { return kVariableNameRule.characters.Contains(c); }

class Expander {
 public:
  Expander(const EdfText& found, const EdfVariables& variables,
           EdfProblems* problems)
      : found_(found),
        text_(found.text),
        variables_(variables),
        problems_(problems) {}

  std::optional<std::string> Run() {
    if (!Text(0)) return std::nullopt;
    if (!IsUtf8(out_)) {
      Fail(EdfNumber::kExpansion, MakeText(edf_messages::kExpandsToNotUtf8));
      return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  // Expands up to the end, or up to the "}" of the default at `depth`, which is
  // not consumed.
  bool Text(int depth) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '}' && depth > 0) return true;
      if (c == '$' ? !Dollar(depth) : !Put(text_.substr(at_++, 1))) {
        return false;
      }
    }
    return depth == 0 || NoReference("${", MakeText(edf_messages::kBraceMissing,
                                                    {{"brace", "}"}}));
  }

  bool Dollar(int depth) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("$$")) {
      at_ += 2;
      return Put("$");
    }
    if (!rest.starts_with("${")) {
      return NoReference(
          rest.substr(0, 16),
          MakeText(edf_messages::kReferenceForm, {{"form", "${NAME}"}}));
    }
    size_t end = 2;
    while (end < rest.size() && ContinuesName(rest[end])) ++end;
    const std::string_view name = rest.substr(2, end - 2);
    at_ += end;
    if (name.empty() || !BeginsName(name[0])) return NotKnown(rest);
    if (text_.substr(at_).starts_with("}")) {
      ++at_;
      return Value(name);
    }
    if (!text_.substr(at_).starts_with(":-")) return NotKnown(rest);
    at_ += 2;
    return Default(name, depth);
  }

  bool Value(std::string_view name) {
    const auto variable = variables_.find(name);
    if (variable != variables_.end()) return Put(variable->second);
    if (unused_ > 0) return true;
    return Fail(EdfNumber::kUndefined,
                MakeText(edf_messages::kUndefinedVariable,
                         {{"name", Quoted(name)},
                          {"with_default",
                           absl::StrCat("${", Readable(name, 80), ":-}")}}));
  }

  bool Default(std::string_view name, int depth) {
    if (depth == kMaxDepth) {
      return NoReference(
          "${", MakeText(edf_messages::kTooManyDefaults, {{"max", kMaxDepth}}));
    }
    const auto variable = variables_.find(name);
    const bool defined =
        variable != variables_.end() && !variable->second.empty();
    if (defined && !Put(variable->second)) return false;
    unused_ += defined;
    if (!Text(depth + 1)) return false;
    unused_ -= defined;
    ++at_;
    return true;
  }

  bool Put(std::string_view piece) {
    if (unused_ > 0) return true;
    if (out_.size() + piece.size() > kMaxEdfValueBytes) {
      return Fail(EdfNumber::kExpansion,
                  MakeText(edf_messages::kExpandsTooLong,
                           {{"max", kMaxEdfValueBytes}}));
    }
    out_.append(piece);
    return true;
  }

  bool NotKnown(std::string_view rest) {
    return NoReference(
        rest.substr(0, 16),
        MakeText(edf_messages::kReferenceForms,
                 {{"form", "${NAME}"}, {"with_default", "${NAME:-default}"}}));
  }
  bool NoReference(std::string_view what, const DisplayText& expected) {
    return Fail(EdfNumber::kReference,
                MakeText(edf_messages::kNotAReference,
                         {{"found", Quoted(what)}, {"expected", expected}}));
  }
  bool Fail(EdfNumber number, DisplayText why) {
    problems_->Refuse(number, found_, std::move(why));
    return false;
  }

  const EdfText& found_;
  const std::string_view text_;
  const EdfVariables& variables_;
  EdfProblems* const problems_;
  size_t at_ = 0;
  int unused_ = 0;  // enclosing defaults whose variable is defined
  std::string out_;
};

}  // namespace

std::optional<std::string> ExpandVariables(const EdfText& found,
                                           const EdfVariables& variables,
                                           EdfProblems* problems) {
  return Expander(found, variables, problems).Run();
}

std::string EscapeVariables(const std::string& literal) {
  return absl::StrReplaceAll(literal, {{"$", "$$"}});
}

}  // namespace carme
