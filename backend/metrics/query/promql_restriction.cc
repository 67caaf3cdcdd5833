#include "backend/metrics/query/promql_restriction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/metrics/query/messages.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr int kMaxDepth = 32;
// Each gets the matcher of up to 1,000 jobs.
constexpr size_t kMaxSelectors = 50;
constexpr int64_t kDayMs = int64_t{24} * 3600 * 1000;
constexpr int64_t kMaxDurationMs = 3660 * kDayMs;
constexpr NameRule kNameRule{.characters = kAlphanumeric | "_",
                             .max_bytes = 128,
                             .first = kAsciiLetters | "_"};

// Functions and aggregations that Prometheus and VictoriaMetrics both have.
constexpr std::array<std::string_view, 46> kFunctions = {"abs",
                                                         "absent",
                                                         "avg_over_time",
                                                         "ceil",
                                                         "changes",
                                                         "clamp",
                                                         "clamp_max",
                                                         "clamp_min",
                                                         "count_over_time",
                                                         "day_of_month",
                                                         "day_of_week",
                                                         "delta",
                                                         "deriv",
                                                         "exp",
                                                         "floor",
                                                         "histogram_quantile",
                                                         "hour",
                                                         "idelta",
                                                         "increase",
                                                         "irate",
                                                         "label_join",
                                                         "label_replace",
                                                         "last_over_time",
                                                         "ln",
                                                         "log10",
                                                         "log2",
                                                         "max_over_time",
                                                         "min_over_time",
                                                         "minute",
                                                         "month",
                                                         "predict_linear",
                                                         "quantile_over_time",
                                                         "rate",
                                                         "resets",
                                                         "round",
                                                         "scalar",
                                                         "sgn",
                                                         "sort",
                                                         "sort_desc",
                                                         "sqrt",
                                                         "stddev_over_time",
                                                         "stdvar_over_time",
                                                         "sum_over_time",
                                                         "time",
                                                         "timestamp",
                                                         "vector"};
constexpr std::array<std::string_view, 11> kAggregations = {
    "avg", "bottomk",  "count",  "count_values", "group", "max",
    "min", "quantile", "stddev", "sum",          "topk"};
constexpr std::array<std::string_view, 12> kKeywords = {
    "and", "bool", "by",     "group_left", "group_right", "ignoring",
    "on",  "or",   "offset", "unless",     "without",     "with"};
// Longer ones first.
constexpr std::array<std::string_view, 12> kOperators = {
    "==", "!=", ">=", "<=", ">", "<", "+", "-", "*", "/", "%", "^"};

struct TimeUnit {
  std::string_view name;
  int64_t ms;
};
// "ms" before "m".
constexpr std::array<TimeUnit, 6> kUnits = {{{"ms", 1},
                                             {"s", 1000},
                                             {"m", 60'000},
                                             {"h", 3'600'000},
                                             {"d", kDayMs},
                                             {"w", 7 * kDayMs}}};

template <typename List>
bool Contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<uint8_t>(c)); }

}  // namespace

// A recursive-descent parser.
class PromqlReader {
 public:
  explicit PromqlReader(std::string_view text) : text_(text) {}

  absl::StatusOr<ParsedPromql> Query() {
    RETURN_IF_ERROR(CheckLength());
    RETURN_IF_ERROR(Expression(0));
    SkipSpace();
    if (at_ != text_.size()) return Expected("the end or an operator");
    return std::move(parsed_);
  }
  absl::StatusOr<ParsedPromql> OnlySelector() {
    RETURN_IF_ERROR(CheckLength());
    const std::string name(PeekName());
    if (name.empty() && Peek() != '{') return Expected("a series");
    if (Contains(kKeywords, absl::AsciiStrToLower(name))) {
      return Expected("a series");
    }
    at_ += name.size();
    RETURN_IF_ERROR(Matchers(name));
    SkipSpace();
    if (at_ != text_.size()) return Expected("the end");
    return std::move(parsed_);
  }

 private:
  absl::Status Refuse(const std::string& cause) const {
    return MakeError(query_messages::kPromqlRefused,
                     {{"at", at_ + 1}, {"cause", cause}});
  }
  absl::Status Expected(const char* what) const {
    return Refuse(FormatMessage(query_messages::kExpected, {{"what", what}}));
  }

  absl::Status CheckLength() {
    if (text_.size() <= kMaxPromqlBytes) return absl::OkStatus();
    at_ = kMaxPromqlBytes;
    return Refuse(FormatMessage(query_messages::kTooLong));
  }

  std::string& out() { return parsed_.parts_.back(); }

  void SkipSpace() {
    while (at_ < text_.size() && CharacterSet(" \t\r\n").Contains(text_[at_])) {
      ++at_;
    }
  }
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  absl::Status Require(std::string_view token, const char* what) {
    if (!Take(token)) return Expected(what);
    out() += token;
    return absl::OkStatus();
  }
  // A name without moving on; empty: none.
  std::string_view PeekName() {
    SkipSpace();
    size_t end = at_;
    while (end < text_.size() && kNameRule.characters.Contains(text_[end])) {
      ++end;
    }
    const std::string_view name = text_.substr(at_, end - at_);
    return kNameRule.Allows(name) ? name : std::string_view();
  }
  bool TakeWord(std::string_view word) {
    if (PeekName() != word) return false;
    at_ += word.size();
    return true;
  }

  absl::Status Expression(int depth) {
    if (depth > kMaxDepth) {
      return Refuse(FormatMessage(query_messages::kTooDeep));
    }
    while (true) {
      RETURN_IF_ERROR(Unary(depth));
      if (!BinaryOperator()) return absl::OkStatus();
      if (TakeWord("bool")) out() += " bool ";
      for (const std::string_view word : {"on", "ignoring"}) {
        if (!TakeWord(word)) continue;
        absl::StrAppend(&out(), std::string(word));
        RETURN_IF_ERROR(LabelList());
      }
    }
  }

  bool BinaryOperator() {
    for (const std::string_view word : {"and", "or", "unless"}) {
      if (!TakeWord(word)) continue;
      absl::StrAppend(&out(), " ", std::string(word), " ");
      return true;
    }
    for (const std::string_view sign : kOperators) {
      if (!Take(sign)) continue;
      absl::StrAppend(&out(), " ", std::string(sign), " ");
      return true;
    }
    return false;
  }

  absl::Status Unary(int depth) {
    for (int signs = 0; Peek() == '-' || Peek() == '+'; ++signs) {
      if (signs > 0) return Expected("a value");
      out() += text_[at_++];
    }
    return Primary(depth);
  }

  absl::Status Primary(int depth) {
    const char next = Peek();
    if (IsDigit(next) || next == '.') return Number();
    if (next == '(') {
      RETURN_IF_ERROR(Require("(", "\"(\""));
      RETURN_IF_ERROR(Expression(depth + 1));
      return Require(")", "\")\"");
    }
    if (next == '{') return Selector("");
    const std::string name(PeekName());
    if (name.empty()) return Expected("a series, a function or a number");
    const std::string lower = absl::AsciiStrToLower(name);
    if (lower == "inf" || lower == "nan" || Contains(kKeywords, lower)) {
      return Expected("a series, a function or a number");
    }
    if (Contains(kAggregations, name)) return Aggregation(depth);
    at_ += name.size();
    if (Peek() == '(') {
      if (Contains(kFunctions, name)) {
        out() += name;
        return Arguments(depth);
      }
      at_ -= name.size();
      return Refuse(
          FormatMessage(query_messages::kUnknownFunction, {{"name", name}}));
    }
    return Selector(name);
  }

  absl::Status Number() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '.') ++at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == 'e') {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      if (at_ == text_.size() || !IsDigit(text_[at_])) {
        return Expected("an exponent");
      }
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    }
    const std::string_view number = text_.substr(begin, at_ - begin);
    if (number == ".") return Expected("a number");
    // MetricsQL reads 5m as a number.
    if (at_ < text_.size() && kNameRule.characters.Contains(text_[at_])) {
      return Expected("a number");
    }
    absl::StrAppend(&out(), std::string(number));
    return absl::OkStatus();
  }

  // In lower case, as both databases read it: 5m, 1h30m.
  absl::StatusOr<int64_t> Duration() {
    SkipSpace();
    const size_t begin = at_;
    int64_t ms = 0;
    while (at_ < text_.size() && IsDigit(text_[at_])) {
      const size_t digits = at_;
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
      int64_t count = 0;
      const bool is_count = absl::SimpleAtoi(
          std::string(text_.substr(digits, at_ - digits)), &count);
      const auto unit =
          std::find_if(kUnits.begin(), kUnits.end(), [&](const TimeUnit& each) {
            return text_.substr(at_, each.name.size()) == each.name;
          });
      if (unit == kUnits.end()) {
        return Expected("a unit of time: ms, s, m, h, d or w");
      }
      if (!is_count || count > kMaxDurationMs / unit->ms ||
          (ms += count * unit->ms) > kMaxDurationMs) {
        return Refuse(FormatMessage(query_messages::kDurationTooLong,
                                    {{"days", kMaxDurationMs / kDayMs}}));
      }
      at_ += unit->name.size();
    }
    if (at_ == begin) return Expected("a duration, such as 5m");
    absl::StrAppend(&out(), std::string(text_.substr(begin, at_ - begin)));
    return ms;
  }

  absl::Status LabelName() {
    const std::string name(PeekName());
    if (name.empty()) return Expected("a label");
    if (!IsPromqlLabel(name)) {
      return Refuse(
          FormatMessage(query_messages::kReservedLabel, {{"name", name}}));
    }
    at_ += name.size();
    out() += name;
    return absl::OkStatus();
  }

  absl::Status LabelList() {
    RETURN_IF_ERROR(Require("(", "\"(\""));
    bool first = true;
    while (!Take(")")) {
      if (!first) RETURN_IF_ERROR(Require(",", "\",\""));
      first = false;
      RETURN_IF_ERROR(LabelName());
    }
    out() += ") ";
    return absl::OkStatus();
  }

  // A string in double quotes, written anew.
  absl::Status String() {
    if (!Take("\"")) return Expected("a string in double quotes");
    std::string value;
    while (true) {
      if (at_ == text_.size()) return Expected("the end of the string");
      const char c = text_[at_];
      if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
        return Expected("a printable character");
      }
      ++at_;
      if (c == '"') break;
      if (c != '\\') {
        value += c;
        continue;
      }
      if (at_ == text_.size() || (text_[at_] != '\\' && text_[at_] != '"')) {
        return Expected("\\\\ or \\\"");
      }
      value += text_[at_++];
    }
    out() += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') out() += '\\';
      out() += c;
    }
    out() += '"';
    return absl::OkStatus();
  }

  absl::Status Arguments(int depth) {
    RETURN_IF_ERROR(Require("(", "\"(\""));
    bool first = true;
    while (Peek() != ')') {
      if (!first) RETURN_IF_ERROR(Require(",", "\",\""));
      first = false;
      RETURN_IF_ERROR(Peek() == '"' ? String() : Expression(depth + 1));
    }
    return Require(")", "\")\"");
  }

  // True: there was one.
  absl::StatusOr<bool> Grouping() {
    for (const std::string_view word : {"by", "without"}) {
      if (!TakeWord(word)) continue;
      absl::StrAppend(&out(), " ", std::string(word), " ");
      RETURN_IF_ERROR(LabelList());
      return true;
    }
    return false;
  }

  absl::Status Aggregation(int depth) {
    const std::string name(PeekName());
    at_ += name.size();
    out() += name;
    ASSIGN_OR_RETURN(const bool grouped, Grouping());
    RETURN_IF_ERROR(Arguments(depth));
    if (grouped) return absl::OkStatus();
    return Grouping().status();
  }

  absl::Status Selector(const std::string& name) {
    RETURN_IF_ERROR(Matchers(name));
    int64_t reach_ms = 0;
    if (Take("[")) {
      out() += '[';
      ASSIGN_OR_RETURN(reach_ms, Duration());
      RETURN_IF_ERROR(Require("]", "\"]\""));
    }
    if (TakeWord("offset")) {
      out() += " offset ";
      ASSIGN_OR_RETURN(const int64_t offset_ms, Duration());
      reach_ms += offset_ms;
    }
    parsed_.reach_ms_ = std::max(parsed_.reach_ms_, reach_ms);
    return absl::OkStatus();
  }

  // Begins a new part where the matcher of the jobs belongs.
  absl::Status Matchers(const std::string& name) {
    if (parsed_.parts_.size() > kMaxSelectors) {
      return Refuse(FormatMessage(query_messages::kTooManySelectors,
                                  {{"max", kMaxSelectors}}));
    }
    absl::StrAppend(&out(), name, "{");
    if (Take("{")) {
      while (!Take("}")) {
        RETURN_IF_ERROR(LabelName());
        RETURN_IF_ERROR(MatchOperator());
        RETURN_IF_ERROR(String());
        out() += ',';
        if (Peek() != '}') {
          if (!Take(",")) return Expected("\",\" or \"}\"");
        }
      }
    }
    parsed_.parts_.push_back("}");
    return absl::OkStatus();
  }

  absl::Status MatchOperator() {
    for (const std::string_view sign : {"=~", "!~", "!=", "="}) {
      if (!Take(sign)) continue;
      absl::StrAppend(&out(), std::string(sign));
      return absl::OkStatus();
    }
    return Expected("=, !=, =~ or !~");
  }

  const std::string_view text_;
  size_t at_ = 0;
  ParsedPromql parsed_;
};

absl::StatusOr<ParsedPromql> ParsedPromql::Parse(std::string_view query) {
  return PromqlReader(query).Query();
}

absl::StatusOr<ParsedPromql> ParsedPromql::ParseSelector(
    std::string_view selector) {
  return PromqlReader(selector).OnlySelector();
}

std::string ParsedPromql::RestrictedTo(
    const std::vector<std::string>& jobs) const {
  return absl::StrJoin(parts_, JobMatcher(jobs));
}

bool IsPromqlLabel(std::string_view name) {
  return kNameRule.Allows(name) &&
         (!name.starts_with("__") || name == "__name__");
}

std::string JobMatcher(const std::vector<std::string>& jobs) {
  // An empty text would match series without the label.
  if (jobs.empty()) return "job=\"-\",job!=\"-\"";
  return absl::StrCat("job=~\"", absl::StrJoin(jobs, "|"), "\"");
}

absl::StatusOr<std::string> RestrictPromql(
    std::string_view query, const std::vector<std::string>& jobs) {
  ASSIGN_OR_RETURN(const ParsedPromql parsed, ParsedPromql::Parse(query));
  return parsed.RestrictedTo(jobs);
}

}  // namespace carme::metrics
