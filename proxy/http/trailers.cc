#include "proxy/http/trailers.h"

#include "common/http1/field.h"

namespace carme::proxy {

bool IsAllowedTrailer(std::string_view name, std::string_view value) {
  if (!IsToken(name) || HasControl(value)) return false;
  if (FieldIdFor(name) != FieldId::kOther) return false;
  for (std::string_view prefix :
       {"authorization", "cache-control", "content-", "range", "sec-"}) {
    if (StartsWithIgnoreCase(name, prefix)) return false;
  }
  return true;
}

void ForEachTrailer(std::string_view lines,
                    const std::function<void(std::string_view name,
                                             std::string_view value)>& visit) {
  while (!lines.empty()) {
    const size_t end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view name = line.substr(0, colon);
      const std::string_view value = TrimBlanks(line.substr(colon + 1));
      if (IsAllowedTrailer(name, value)) visit(name, value);
    }
    if (end == std::string_view::npos) return;
    lines.remove_prefix(end + 2);
  }
}

void AppendTrailers(std::string_view lines, std::string* out) {
  ForEachTrailer(lines, [&](std::string_view name, std::string_view value) {
    out->append(name).append(": ").append(value).append("\r\n");
  });
}

void AppendLastChunk(std::string_view lines, std::string* out) {
  out->append("0\r\n");
  AppendTrailers(lines, out);
  out->append("\r\n");
}

}  // namespace carme::proxy
