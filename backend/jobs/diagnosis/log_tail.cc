#include "backend/jobs/diagnosis/log_tail.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxLines = 20;
constexpr size_t kLongestLine = 500;

// Without escapes of ECMA-48: "\e[31m" and the like, and other controls but
// tabs, which become a space.
std::string WithoutControls(std::string_view line) {
  std::string plain;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\033') {
      if (i + 1 >= line.size() || line[i + 1] != '[') continue;
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else if (c == '\t') {
      plain += ' ';
    } else if (static_cast<unsigned char>(c) >= ' ' && c != '\177') {
      plain += c;
    }
  }
  return plain;
}

// The agent's info messages are not part of a failure. Its warnings and errors
// are.
bool IsAgentMessage(std::string_view line) {
  return line.starts_with("[carme-agent] ") &&
         line.find("Z info ") != std::string_view::npos;
}

std::string_view Overwritten(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const size_t last = line.rfind('\r');
  return last == std::string_view::npos ? line : line.substr(last + 1);
}

}  // namespace

std::string LastLinesOf(std::string_view text, bool cut) {
  if (cut) {
    const size_t first = text.find('\n');
    if (first != std::string_view::npos) text.remove_prefix(first + 1);
  }
  std::vector<std::string> lines;  // last one first
  size_t bytes = 0;
  while (!text.empty() && lines.size() < kMaxLines) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const size_t begin = text.rfind('\n');
    const std::string_view line =
        begin == std::string_view::npos ? text : text.substr(begin + 1);
    std::string shown =
        Readable(WithoutControls(Overwritten(line)), kLongestLine);
    if (!IsAgentMessage(shown)) {
      bytes += shown.size() + 1;
      if (bytes > kLastLinesBytes) break;
      if (!shown.empty() || !lines.empty()) lines.push_back(std::move(shown));
    }
    if (begin == std::string_view::npos) break;
    text = text.substr(0, begin + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return absl::StrJoin(lines.rbegin(), lines.rend(), "\n");
}

}  // namespace carme::backend
