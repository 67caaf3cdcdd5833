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

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::metrics {

inline constexpr size_t kMaxPromqlBytes = 4096;

// A query of the grammar. A value; thread-safe if const.
class ParsedPromql {
 public:
  // INVALID_ARGUMENT, with the place of the error.
  static absl::StatusOr<ParsedPromql> Parse(std::string_view query);
  // A selector without "[" and offset.
  static absl::StatusOr<ParsedPromql> ParseSelector(std::string_view selector);

  // The query with a further matcher in each selector, which allows only
  // `jobs`. REQUIRES: `jobs` are ids of jobs.
  std::string RestrictedTo(const std::vector<std::string>& jobs) const;

  // How long before a time a value of this time may read: the largest sum of a
  // range and its offset.
  int64_t reach_ms() const { return reach_ms_; }

 private:
  friend class PromqlReader;
  // A selector's matcher belongs between two of them.
  std::vector<std::string> parts_ = {""};
  int64_t reach_ms_ = 0;
};

// Parses and restricts.
absl::StatusOr<std::string> RestrictPromql(
    std::string_view query, const std::vector<std::string>& jobs);

// Whether a query may name the label.
bool IsPromqlLabel(std::string_view name);

// The matcher: job=~"a|b". Without jobs, one that matches no series.
std::string JobMatcher(const std::vector<std::string>& jobs);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_PROMQL_RESTRICTION_H_
