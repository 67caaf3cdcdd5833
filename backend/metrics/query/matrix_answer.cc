#include "backend/metrics/query/matrix_answer.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace carme::metrics {
namespace {

constexpr int kMaxJsonDepth = 16;

// A recursive-descent reader; each function moves behind what it reads, and
// returns false if the text is something else.
class Reader {
 public:
  explicit Reader(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()), begin_(at_) {}

  bool Answer(std::vector<MatrixSeries>* series) {
    bool found = false;
    const bool read = Success([&] {
      return Object([&](const std::string& key) {
        if (key == "resultType") {
          std::string type;
          return String(&type) && type == "matrix";
        }
        if (key != "result") return Skip(0);
        found = true;
        return Array([&] {
          series->emplace_back();
          return Series(&series->back());
        });
      });
    });
    return read && found;
  }

  bool Data(std::string_view* data) {
    bool found = false;
    const bool read = Success([&] {
      Space();
      const char* const begin = at_;
      if (!Skip(0)) return false;
      *data = std::string_view(begin, static_cast<size_t>(at_ - begin));
      found = true;
      return true;
    });
    return read && found;
  }

  bool Error(std::string* error) {
    return Object([&](const std::string& key) {
      return key == "error" ? String(error) : Skip(0);
    });
  }

  size_t place() const { return static_cast<size_t>(at_ - begin_); }

 private:
  // {"status":"success","data":…}, and nothing after it. `data` reads the data.
  template <typename ReadData>
  bool Success(const ReadData& data) {
    const bool read = Object([&](const std::string& key) {
      if (key == "status") {
        std::string status;
        return String(&status) && status == "success";
      }
      return key == "data" ? data() : Skip(0);
    });
    Space();
    return read && at_ == end_;
  }
  void Space() {
    while (at_ != end_ &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
      ++at_;
    }
  }
  bool Take(char c) {
    Space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  template <typename Member>
  bool Object(const Member& member) {
    if (!Take('{')) return false;
    if (Take('}')) return true;
    do {
      std::string key;
      if (!String(&key) || !Take(':') || !member(key)) return false;
    } while (Take(','));
    return Take('}');
  }
  template <typename Item>
  bool Array(const Item& item) {
    if (!Take('[')) return false;
    if (Take(']')) return true;
    do {
      if (!item()) return false;
    } while (Take(','));
    return Take(']');
  }

  bool Series(MatrixSeries* series) {
    return Object([&](const std::string& key) {
      if (key == "metric") {
        return Object([&](const std::string& name) {
          return String(&series->labels[name]);
        });
      }
      if (key != "values") return Skip(0);
      return Array([&] { return Point(&series->points); });
    });
  }

  bool Point(std::vector<std::pair<int64_t, double>>* points) {
    double time_s = 0;
    double value = 0;
    if (!Take('[') || !Number(&time_s) || !Take(',') || !Take('"')) {
      return false;
    }
    if (!NumberHere(&value) || !Take('"') || !Take(']')) return false;
    if (std::isfinite(value) && std::abs(time_s) < 1e12) {
      points->emplace_back(std::llround(time_s * 1000), value);
    }
    return true;
  }

  bool Number(double* value) {
    Space();
    return NumberHere(value);
  }
  bool NumberHere(double* value) {
    if (at_ != end_ && *at_ == '+') ++at_;  // +Inf
    const auto [rest, error] = std::from_chars(at_, end_, *value);
    if (error == std::errc::result_out_of_range) {
      *value = std::nan("");
    } else if (error != std::errc()) {
      return false;
    }
    at_ = rest;
    return true;
  }

  bool String(std::string* text) {
    if (!Take('"')) return false;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ != '\\') {
        *text += *at_++;
        continue;
      }
      if (++at_ == end_ || !Escape(text)) return false;
    }
    return Take('"');
  }
  bool Escape(std::string* text) {
    const char c = *at_++;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        *text += c;
        return true;
      case 'n':
        *text += '\n';
        return true;
      case 't':
        *text += '\t';
        return true;
      case 'u':
        break;
      default:
        return false;
    }
    // Labels of carme-metrics have none beyond ASCII that a database would
    // escape ("<" becomes \u003c).
    unsigned code = 0;
    if (end_ - at_ < 4) return false;
    const auto [rest, error] = std::from_chars(at_, at_ + 4, code, 16);
    if (error != std::errc() || rest != at_ + 4 || code > 0x7f) return false;
    at_ = rest;
    *text += static_cast<char>(code);
    return true;
  }

  bool Skip(int depth) {
    if (depth > kMaxJsonDepth) return false;
    Space();
    if (at_ == end_) return false;
    std::string ignored;
    double number = 0;
    switch (*at_) {
      case '{':
        return Object([&](const std::string&) { return Skip(depth + 1); });
      case '[':
        return Array([&] { return Skip(depth + 1); });
      case '"':
        return String(&ignored);
      default:
        break;
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      if (std::string_view(at_, static_cast<size_t>(end_ - at_))
              .starts_with(word)) {
        at_ += word.size();
        return true;
      }
    }
    return Number(&number);
  }

  const char* at_;
  const char* const end_;
  const char* const begin_;
};

absl::Status Unreadable(const Reader& reader) {
  return absl::InvalidArgumentError(absl::StrCat(
      "answer of the database cannot be read at byte ", reader.place()));
}

}  // namespace

absl::StatusOr<std::vector<MatrixSeries>> ParseMatrixAnswer(
    std::string_view json) {
  Reader reader(json);
  std::vector<MatrixSeries> series;
  if (reader.Answer(&series)) return series;
  return Unreadable(reader);
}

absl::StatusOr<std::string_view> DataOfAnswer(std::string_view json) {
  Reader reader(json);
  std::string_view data;
  if (reader.Data(&data)) return data;
  return Unreadable(reader);
}

std::string ErrorOfAnswer(std::string_view json) {
  std::string error;
  return Reader(json).Error(&error) ? error : "";
}

}  // namespace carme::metrics
