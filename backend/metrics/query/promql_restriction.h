// Restricts PromQL to some jobs. The query is parsed, and written anew from the
// parts: what is not part of the grammar below is refused, so that no text of
// the user reaches the database unparsed.
//
//   expr     = unary { operator [ bool ] [ (on|ignoring) labels ] unary }
//   unary    = { + | - } primary
//   primary  = number | "(" expr ")" | function | aggregation | selector
//   function = name "(" [ argument { "," argument } ] ")"
//   argument = expr | string
//   aggregation = name [ (by|without) labels ] "(" arguments ")"
//                 [ (by|without) labels ]
//   selector = ( name [ matchers ] | matchers ) [ "[" duration "]" ]
//              [ offset duration ]
//   matchers = "{" [ label (=|!=|=~|!~) string { "," … } ] "}"
//
// Not part of it: subqueries, @, group_left, comments, and all of MetricsQL.
#ifndef CARME_BACKEND_METRICS_QUERY_PROMQL_RESTRICTION_H_
#define CARME_BACKEND_METRICS_QUERY_PROMQL_RESTRICTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::metrics {

inline constexpr size_t kMaxPromqlBytes = 4096;

// The query with a further matcher in each selector, which allows only `jobs`.
// INVALID_ARGUMENT, with the place of the error. REQUIRES: `jobs` are ids of
// jobs, at least one.
absl::StatusOr<std::string> RestrictPromql(
    std::string_view query, const std::vector<std::string>& jobs);

// The matcher: job=~"a|b".
std::string JobMatcher(const std::vector<std::string>& jobs);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_PROMQL_RESTRICTION_H_
