// W3C Trace Context (https://www.w3.org/TR/trace-context/): the field
// traceparent, "00-<trace id>-<parent id>-<flags>". The parent id that Carme
// sends is the request id, so that each log line of a request belongs to its
// trace. Pure functions.
#ifndef CARME_COMMON_HTTP1_TRACEPARENT_H_
#define CARME_COMMON_HTTP1_TRACEPARENT_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme {

struct Traceparent {
  std::string_view trace_id{};   // 32 of [0-9a-f], not all 0
  std::string_view parent_id{};  // 16 of [0-9a-f], not all 0
  bool sampled = false;
};

// Of version 00 or later. Nothing: invalid.
std::optional<Traceparent> ParseTraceparent(std::string_view value);

// The value of the field, in version 00. REQUIRES: valid ids.
std::string FormatTraceparent(const Traceparent& traceparent);

// Whether a request id can be a parent id.
bool IsParentId(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_HTTP1_TRACEPARENT_H_
