// Numbers and strings in exported files.
#ifndef CARME_BACKEND_METRICS_PAGES_EXPORT_TEXT_H_
#define CARME_BACKEND_METRICS_PAGES_EXPORT_TEXT_H_

#include <charconv>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// The shortest text that reads back as the same number.
inline std::string NumberText(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "";
}

inline std::string JsonString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&quoted, absl::StrFormat("\\u%04x", c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Labels without the node as a=b;c=d, in the order of their names.
template <typename Labels>
std::string LabelText(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] :
       std::map<std::string, std::string>(labels.begin(), labels.end())) {
    if (name == "node") continue;
    absl::StrAppend(&text, text.empty() ? "" : ";", name, "=", value);
  }
  return text;
}

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_EXPORT_TEXT_H_
