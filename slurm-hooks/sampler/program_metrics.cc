#include "slurm-hooks/sampler/program_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

constexpr std::string_view kPrefix = "carme_program_";
constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxTags = 6;
constexpr int64_t kReportInterval_ms = 60'000;

// A name that Prometheus accepts; empty: there is none in `text`.
std::string NameOf(std::string_view text) {
  std::string name;
  if (text.empty() || text.size() > kMaxNameBytes) return name;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = byte < 0x80 && std::isalnum(byte) != 0;
    name += is_plain ? static_cast<char>(std::tolower(byte)) : '_';
  }
  if (std::isalpha(static_cast<unsigned char>(name[0])) == 0) return "";
  return name;
}

// Removes the text up to `mark` from `rest` and returns it.
std::string_view TakeUntil(std::string_view* rest, char mark) {
  const size_t end = rest->find(mark);
  const std::string_view part = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return part;
}

bool ParseTags(std::string_view text, Labels* labels) {
  while (!text.empty()) {
    std::string_view tag = TakeUntil(&text, ',');
    const std::string name = NameOf(TakeUntil(&tag, ':'));
    if (name.empty() || labels->size() >= kMaxTags) return false;
    (*labels)[name] = std::string(tag);
  }
  return true;
}

struct OutputName {
  std::string_view text;
  std::string_view name;
};
constexpr std::array kOutputNames = {
    OutputName{"step", "step"},
    OutputName{"global_step", "step"},
    OutputName{"iter", "step"},
    OutputName{"iteration", "step"},
    OutputName{"epoch", "epoch"},
    OutputName{"loss", "loss"},
    OutputName{"train_loss", "loss"},
    OutputName{"lm_loss", "loss"},
    OutputName{"val_loss", "validation_loss"},
    OutputName{"eval_loss", "validation_loss"},
    OutputName{"lr", "learning_rate"},
    OutputName{"learning_rate", "learning_rate"},
    OutputName{"grad_norm", "gradient_norm"},
    OutputName{"tokens/s", "tokens_per_second"},
    OutputName{"tok/s", "tokens_per_second"},
    OutputName{"tokens_per_second", "tokens_per_second"},
    OutputName{"tokens_per_sec", "tokens_per_second"},
    OutputName{"samples/s", "samples_per_second"},
    OutputName{"samples_per_second", "samples_per_second"},
    OutputName{"it/s", "steps_per_second"},
    OutputName{"steps/s", "steps_per_second"},
};

std::string_view OutputNameOf(std::string_view word) {
  for (const OutputName& known : kOutputNames) {
    const bool is_equal = std::equal(
        word.begin(), word.end(), known.text.begin(), known.text.end(),
        [](char left, char right) {
          return std::tolower(static_cast<unsigned char>(left)) == right;
        });
    if (is_equal) return known.name;
  }
  return {};
}

bool IsNameByte(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' ||
         byte == '/';
}

bool IsNumberByte(char byte) {
  return std::isdigit(static_cast<unsigned char>(byte)) != 0 || byte == '.' ||
         byte == '-' || byte == '+' || byte == 'e' || byte == 'E';
}

// "nan", "inf" or "infinity" in any case, with a sign or not; nullopt: neither.
std::optional<double> ParseNotFinite(std::string_view text) {
  std::string word;
  for (const char letter : text) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "infinity") {
    return std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

// A number, or a word as above.
std::optional<double> ParseGauge(std::string_view text) {
  const auto number = ParseFinite(text);
  return number ? number : ParseNotFinite(text);
}

}  // namespace

std::optional<ProgramValue> ParseMetricLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  ProgramValue value;
  value.name = NameOf(TakeUntil(&line, ':'));
  const auto number = ParseGauge(TakeUntil(&line, '|'));
  const std::string_view type = TakeUntil(&line, '|');
  if (value.name.empty() || !number || (type != "g" && type != "c")) {
    return std::nullopt;
  }
  value.is_counter = type == "c";
  if (value.is_counter && !std::isfinite(*number)) return std::nullopt;
  value.value = *number;
  while (!line.empty()) {
    const std::string_view part = TakeUntil(&line, '|');
    if (part.starts_with('@')) {
      const auto rate = ParseFinite(part.substr(1));
      if (!rate || *rate <= 0 || *rate > 1) return std::nullopt;
      if (value.is_counter) value.value /= *rate;
    } else if (!part.starts_with('#') ||
               !ParseTags(part.substr(1), &value.labels)) {
      return std::nullopt;
    }
  }
  if (value.is_counter && value.value < 0) return std::nullopt;
  return value;
}

std::vector<std::pair<std::string, double>> ParseOutputLine(
    std::string_view line) {
  std::vector<std::pair<std::string, double>> found;
  for (size_t at = 0; at < line.size();) {
    if (!IsNameByte(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && IsNameByte(line[end])) ++end;
    const std::string_view name = OutputNameOf(line.substr(at, end - at));
    at = end;
    if (name.empty()) continue;
    // "loss=0.5", "loss: 0.5", "loss = 0.5"; also "'loss': 0.5".
    if (end < line.size() && (line[end] == '\'' || line[end] == '"')) ++end;
    while (end < line.size() && line[end] == ' ') ++end;
    if (end >= line.size() || (line[end] != '=' && line[end] != ':')) continue;
    ++end;
    while (end < line.size() && line[end] == ' ') ++end;
    const size_t begin = end;
    while (end < line.size() &&
           (IsNumberByte(line[end]) ||
            std::isalpha(static_cast<unsigned char>(line[end])) != 0)) {
      ++end;
    }
    const std::string_view word = line.substr(begin, end - begin);
    auto value = ParseNotFinite(word);
    if (!value) {
      end = begin;
      while (end < line.size() && IsNumberByte(line[end])) ++end;
      value = ParseFinite(line.substr(begin, end - begin));
    }
    if (!value) continue;
    found.emplace_back(std::string(name), *value);
    at = end;
  }
  return found;
}

ProgramMetrics::ProgramMetrics(SampleBuffer* buffer)
    : ProgramMetrics(buffer, Limits()) {}

ProgramMetrics::ProgramMetrics(SampleBuffer* buffer, Limits limits)
    : limits_(limits),
      limiter_(limits.line_interval, limits.line_burst),
      source_(buffer->AddSource("program", "", "")) {}

bool ProgramMetrics::Allow(int64_t now_ns) {
  if (limiter_.Allow(&due_, now_ns)) return true;
  ++rejected_[kRate];
  return false;
}

void ProgramMetrics::AddPacket(std::string_view packet, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  while (!packet.empty()) {
    const std::string_view line = TakeLine(&packet);
    if (!line.empty() && Allow(now_ns)) AddLine(line);
  }
}

void ProgramMetrics::CountUnread(uint64_t packets) {
  absl::MutexLock lock(&mutex_);
  rejected_[kRate] += packets;
}

void ProgramMetrics::AddLine(std::string_view line) {
  std::optional<ProgramValue> value;
  if (line.size() <= limits_.max_line_bytes) value = ParseMetricLine(line);
  if (!value) {
    ++rejected_[kInvalid];
    return;
  }
  Put(*std::move(value));
}

void ProgramMetrics::NoteNotFinite(const std::string& name) {
  if (not_finite_.size() < limits_.max_names &&
      not_finite_.insert(name).second) {
    new_not_finite_.push_back(name);
  }
}

void ProgramMetrics::Put(ProgramValue value) {
  if (!std::isfinite(value.value)) {
    NoteNotFinite(value.name);
    return;
  }
  std::string key = value.name + (value.is_counter ? "|c" : "|g");
  for (const auto& [label, text] : value.labels) {
    key.append("\n").append(label).append("=").append(text);
  }
  auto found = values_.find(key);
  if (found == values_.end()) {
    if (values_.size() >= limits_.max_names) {
      ++rejected_[kNames];
      return;
    }
    Value added;
    added.name = std::string(kPrefix) + value.name;
    if (value.is_counter && !value.name.ends_with("_total")) {
      added.name += "_total";
    }
    added.labels = std::move(value.labels);
    added.is_counter = value.is_counter;
    found = values_.emplace(std::move(key), std::move(added)).first;
  }
  Value& known = found->second;
  known.value = known.is_counter ? known.value + value.value : value.value;
  known.is_new = true;
}

void ProgramMetrics::AddOutput(std::string_view piece, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  while (!piece.empty()) {
    const size_t end = piece.find_first_of("\r\n");
    const std::string_view part = piece.substr(0, end);
    if (!skips_line_) output_.append(part);
    if (output_.size() > limits_.max_line_bytes) {
      skips_line_ = true;
      output_.clear();
    }
    if (end == std::string_view::npos) return;
    piece.remove_prefix(end + 1);
    if (!skips_line_ && !output_.empty()) AddOutputLine(now_ns);
    output_.clear();
    skips_line_ = false;
  }
}

void ProgramMetrics::AddOutputLine(int64_t now_ns) {
  const auto values = ParseOutputLine(output_);
  // Lines without values cost nothing and are no excess.
  if (values.empty() || !Allow(now_ns)) return;
  for (const auto& [name, value] : values) {
    if (name == "step") has_step_ = true;
    Put({.name = name,
         .is_counter = false,
         .value = value,
         .labels = {{"origin", "output"}}});
  }
}

void ProgramMetrics::Sample(int64_t now_ms, SampleBuffer* buffer) {
  constexpr std::array<const char*, kReasons> kNamesOfReasons = {
      "rate", "names", "invalid"};
  absl::MutexLock lock(&mutex_);
  for (auto& [key, value] : values_) {
    // A gauge that is not reported any more ends; a counter stays.
    if (!value.is_new && !value.is_counter) continue;
    value.is_new = false;
    if (value.series == SampleBuffer::kNoSeries) {
      value.series = buffer->AddSeries(source_, value.name, value.labels);
    }
    buffer->Add(value.series, now_ms, value.value);
  }
  if (has_step_ && !step_reported_) {
    step_reported_ = true;
    buffer->AddEvent(now_ms, "first_step", "the program reports its first step",
                     {});
  }
  for (const std::string& name : new_not_finite_) {
    buffer->AddEvent(now_ms, "not_finite",
                     "the program reports a value of \"" + name +
                         "\" that is not a number, or is infinite",
                     {{"value", name}});
  }
  new_not_finite_.clear();
  uint64_t rejected = 0;
  for (size_t i = 0; i < kReasons; ++i) {
    rejected += rejected_[i];
    if (rejected_[i] == 0) continue;
    buffer->Add(buffer->AddSeries(source_, "carme_program_rejected_lines_total",
                                  {{"reason", kNamesOfReasons[i]}}),
                now_ms, static_cast<double>(rejected_[i]));
  }
  if (rejected == reported_ || now_ms < next_report_ms_) return;
  buffer->AddEvent(now_ms, "program_metrics_rejected",
                   std::to_string(rejected - reported_) +
                       " values of the program were rejected: too many lines "
                       "a second, too many names, or not \"name:value|g\"",
                   {});
  reported_ = rejected;
  next_report_ms_ = now_ms + kReportInterval_ms;
}

}  // namespace carme::sampler
