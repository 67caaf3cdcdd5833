#include "frontend/prometheus_request.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/printable.h"

namespace carme::frontend {
namespace {

using Call = v1::QueryPrometheusRequest;
using Form = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kMaxParameters = 64;
constexpr char kFormType[] = "application/x-www-form-urlencoded";
// The API that is offered, which has match[] everywhere: clients ask what they
// may use.
constexpr char kBuildInfo[] =
    R"({"version":"2.24.0","revision":"","branch":"","buildUser":"",)"
    R"("buildDate":"","goVersion":""})";
// carme-metrics accepts 1970 to 5138. Clients mean all times by far ones.
constexpr double kMaxTimeMs = 1e14;
constexpr double kMaxDurationMs = 1e12;

HttpError BadData(std::string message) { return {400, std::move(message)}; }

HttpError Invalid(std::string_view name, std::string_view value,
                  std::string_view expected) {
  return BadData(absl::StrCat("invalid parameter \"", std::string(name),
                              "\": \"", PlainText(value, 100), "\": expected ",
                              std::string(expected)));
}

// Nothing: malformed.
std::optional<std::string> DecodeField(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const std::string digits(text.substr(i + 1, 2));
      if (digits.size() != 2 ||
          !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
        return std::nullopt;
      }
      decoded += absl::HexStringToBytes(digits);
      i += 2;
    }
  }
  if (!IsUtf8(decoded)) return std::nullopt;
  return decoded;
}

std::optional<HttpError> AddFields(const std::string& text, Form* form) {
  for (const absl::string_view field :
       absl::StrSplit(text, '&', absl::SkipEmpty())) {
    if (form->size() == kMaxParameters) return BadData("too many parameters");
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(field, absl::MaxSplits('=', 1));
    std::optional<std::string> name = DecodeField(parts.first);
    std::optional<std::string> value = DecodeField(parts.second);
    if (!name || !value) return BadData("malformed parameter");
    form->emplace_back(*std::move(name), *std::move(value));
  }
  return std::nullopt;
}

bool IsForm(const HttpHeaders& headers) {
  const std::string type =
      absl::AsciiStrToLower(std::string(headers.Get("content-type")));
  return absl::StripAsciiWhitespace(type.substr(0, type.find(';'))) ==
         kFormType;
}

// Null if absent.
const std::string* Find(const Form& form, std::string_view name) {
  const auto found = std::find_if(
      form.begin(), form.end(), [&](const auto& f) { return f.first == name; });
  return found == form.end() || found->second.empty() ? nullptr
                                                      : &found->second;
}

// Seconds or RFC 3339, between 1970 and kMaxTimeMs.
std::optional<int64_t> ParseTimeMs(const std::string& text) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds)) {
    if (std::isnan(seconds)) return std::nullopt;
    return std::llround(std::clamp(seconds * 1000, 1.0, kMaxTimeMs));
  }
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return std::nullopt;
  }
  return std::clamp(absl::ToUnixMillis(time), int64_t{1},
                    static_cast<int64_t>(kMaxTimeMs));
}

// "1h30m", in milliseconds. Nothing: another text.
std::optional<double> ParseUnits(std::string_view text) {
  double sum = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const size_t digits =
        std::min(text.find_first_not_of("0123456789"), text.size());
    double count = 0;
    if (digits == 0 ||
        !absl::SimpleAtod(std::string(text.substr(0, digits)), &count)) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
    // "ms" before "m".
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"ms", 1},       {"s", 1000},      {"m", 60e3},    {"h", 3600e3},
        {"d", 86'400e3}, {"w", 604'800e3}, {"y", 31'536e6}};
    const auto* unit =
        std::find_if(std::begin(kUnits), std::end(kUnits),
                     [&](const auto& u) { return text.starts_with(u.first); });
    if (unit == std::end(kUnits)) return std::nullopt;
    text.remove_prefix(unit->first.size());
    sum += count * unit->second;
  }
  return sum;
}

// Seconds or units; positive.
std::optional<int64_t> ParseDurationMs(const std::string& text) {
  double ms = 0;
  if (absl::SimpleAtod(text, &ms)) {
    ms *= 1000;
  } else {
    ms = ParseUnits(text).value_or(0);
  }
  if (std::isnan(ms) || ms < 1 || ms > kMaxDurationMs) return std::nullopt;
  return std::llround(ms);
}

// The time of a parameter; absent: `otherwise`.
std::optional<HttpError> ReadTime(const Form& form, std::string_view name,
                                  int64_t otherwise, int64_t* time_ms) {
  const std::string* text = Find(form, name);
  *time_ms = otherwise;
  if (text == nullptr) return std::nullopt;
  const std::optional<int64_t> parsed = ParseTimeMs(*text);
  if (!parsed) {
    return Invalid(name, *text, "Unix time in seconds, or RFC 3339");
  }
  *time_ms = *parsed;
  return std::nullopt;
}

std::optional<HttpError> ReadQuery(const Form& form, std::string* query) {
  const std::string* text = Find(form, "query");
  if (text == nullptr) return BadData("expected the parameter \"query\"");
  *query = *text;
  return std::nullopt;
}

std::optional<HttpError> ReadInstant(const Form& form, absl::Time now,
                                     Call::Instant* instant) {
  if (auto error = ReadQuery(form, instant->mutable_query())) return error;
  int64_t time_ms = 0;
  if (auto error = ReadTime(form, "time", absl::ToUnixMillis(now), &time_ms)) {
    return error;
  }
  instant->set_time_ms(time_ms);
  return std::nullopt;
}

std::optional<HttpError> ReadRange(const Form& form, Call::Range* range) {
  if (auto error = ReadQuery(form, range->mutable_query())) return error;
  for (const char* name : {"start", "end", "step"}) {
    if (Find(form, name) == nullptr) {
      return BadData(absl::StrCat("expected the parameter \"", name, "\""));
    }
  }
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  if (auto error = ReadTime(form, "start", 0, &from_ms)) return error;
  if (auto error = ReadTime(form, "end", 0, &to_ms)) return error;
  const std::string& step = *Find(form, "step");
  const std::optional<int64_t> step_ms = ParseDurationMs(step);
  if (!step_ms) {
    return Invalid("step", step, "a positive duration, such as 15 or 15s");
  }
  range->set_from_ms(from_ms);
  range->set_to_ms(to_ms);
  range->set_step_ms(*step_ms);
  return std::nullopt;
}

std::optional<HttpError> ReadSearch(const Form& form, Call::Search* search) {
  for (const auto& [name, value] : form) {
    if (name == "match[]") search->add_matches(value);
  }
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  if (auto error = ReadTime(form, "start", 0, &from_ms)) return error;
  if (auto error = ReadTime(form, "end", 0, &to_ms)) return error;
  // As if absent: a client means all times.
  search->set_from_ms(from_ms <= 1 ? 0 : from_ms);
  search->set_to_ms(to_ms);
  return std::nullopt;
}

// The label of "label/NAME/values"; empty: another endpoint.
std::string LabelOf(std::string_view endpoint) {
  constexpr std::string_view kBefore = "label/";
  constexpr std::string_view kAfter = "/values";
  if (endpoint.size() <= kBefore.size() + kAfter.size() ||
      !endpoint.starts_with(kBefore) || !endpoint.ends_with(kAfter)) {
    return "";
  }
  endpoint.remove_prefix(kBefore.size());
  endpoint.remove_suffix(kAfter.size());
  return std::string(endpoint);
}

std::optional<HttpError> ReadEndpoint(std::string_view endpoint,
                                      const Form& form, absl::Time now,
                                      PrometheusRequest* out) {
  if (endpoint == "query") {
    return ReadInstant(form, now, out->call.mutable_instant());
  }
  if (endpoint == "query_range") {
    return ReadRange(form, out->call.mutable_range());
  }
  if (endpoint == "labels") {
    return ReadSearch(form, out->call.mutable_labels());
  }
  if (endpoint == "series") {
    if (Find(form, "match[]") == nullptr) {
      return BadData("expected the parameter \"match[]\"");
    }
    return ReadSearch(form, out->call.mutable_series());
  }
  if (endpoint == "status/buildinfo" || endpoint == "metadata") {
    out->call.mutable_check();
    out->fixed_data = endpoint == "metadata" ? "{}" : kBuildInfo;
    return std::nullopt;
  }
  if (std::string label = LabelOf(endpoint); !label.empty()) {
    out->call.mutable_label_values()->set_label(std::move(label));
    return ReadSearch(form, out->call.mutable_label_values());
  }
  return HttpError{404, "this part of the API of Prometheus is not offered"};
}

}  // namespace

std::variant<PrometheusRequest, HttpError> ParsePrometheusRequest(
    const HttpRequest& request, absl::Time now) {
  Form form;
  if (request.method == "POST") {
    if (!IsForm(request.headers)) {
      return HttpError{415, absl::StrCat("expected a form: ", kFormType)};
    }
    if (auto error = AddFields(request.body, &form)) return *error;
  }
  if (auto error = AddFields(request.query, &form)) return *error;
  PrometheusRequest parsed;
  std::string_view endpoint = request.path;
  endpoint.remove_prefix(std::string_view(kPrometheusPath).size());
  if (auto error = ReadEndpoint(endpoint, form, now, &parsed)) return *error;
  if (const std::string* text = Find(form, "timeout")) {
    const std::optional<int64_t> timeout_ms = ParseDurationMs(*text);
    if (!timeout_ms) return Invalid("timeout", *text, "a positive duration");
    parsed.timeout = absl::Milliseconds(*timeout_ms);
  }
  return parsed;
}

}  // namespace carme::frontend
