// Pagination of all list methods: the request has `page_size` and `page_token`,
// and `filter` if the list can be filtered; the response has
// `next_page_token`, which is empty on the last page.
//
//   const absl::StatusOr<std::string> next = CutPage(
//       PageOf(*request, kAll, kMaxPage), &rows,
//       [](const Row& row, size_t) { return row.id; });
#ifndef CARME_BACKEND_RPC_CONVERT_PAGING_H_
#define CARME_BACKEND_RPC_CONVERT_PAGING_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/status.h"

namespace carme::backend {

inline constexpr int kMaxPageSize = 1000;
inline constexpr int kWholeList = std::numeric_limits<int>::max();

// The page that a client requested.
struct PageQuery {
  int page_size = 0;  // 0: default_size
  std::string page_token{};
  std::string filter{};  // serialized: a token is valid for this filter only
  int default_size = kMaxPageSize;
  int max_size = kMaxPageSize;
};

// From a request with `page_size`, `page_token` and, optionally, `filter`.
template <typename Request>
PageQuery PageOf(const Request& request, int default_size = kMaxPageSize) {
  PageQuery query{.page_size = request.page_size(),
                  .page_token = request.page_token(),
                  .default_size = default_size};
  if constexpr (requires { request.filter(); }) {
    query.filter = request.filter().SerializeAsString();
  }
  return query;
}

// The number of rows of the page. INVALID_ARGUMENT.
absl::StatusOr<int> PageSizeOf(const PageQuery& query);
// The key after which a page begins; empty: the first page. INVALID_ARGUMENT:
// not a token of this list and filter.
absl::StatusOr<std::string> PageKeyOf(const PageQuery& query);
// The token of the page after the row with this key.
std::string PageTokenOf(std::string_view key, std::string_view filter);

// Keys whose order is the order of these numbers.
std::string AscendingKey(uint64_t number);
std::string DescendingKey(uint64_t number);

// Reduces `rows` to the requested page and returns the token of the next one.
// `key_of(row, index)` must increase along `rows` and must not be empty.
template <typename Row, typename KeyOf>
absl::StatusOr<std::string> CutPage(const PageQuery& query,
                                    std::vector<Row>* rows,
                                    const KeyOf& key_of) {
  ASSIGN_OR_RETURN(const int size, PageSizeOf(query));
  ASSIGN_OR_RETURN(const std::string after, PageKeyOf(query));
  size_t begin = 0;
  while (!after.empty() && begin < rows->size() &&
         key_of((*rows)[begin], begin) <= after) {
    ++begin;
  }
  const size_t end = std::min(rows->size(), begin + static_cast<size_t>(size));
  std::string next;
  if (end < rows->size() && end > begin) {
    next = PageTokenOf(key_of((*rows)[end - 1], end - 1), query.filter);
  }
  rows->erase(rows->begin() + static_cast<std::ptrdiff_t>(end), rows->end());
  rows->erase(rows->begin(),
              rows->begin() + static_cast<std::ptrdiff_t>(begin));
  return next;
}

// For lists with numbered rows, newest first: the page contains rows before
// this number; 0: the first page. INVALID_ARGUMENT. The second function makes
// the token.
absl::StatusOr<int64_t> PageNumberOf(const PageQuery& query);
std::string PageTokenOf(int64_t number, std::string_view filter);

// For short lists that rarely change: pages by position.
template <typename Row>
absl::StatusOr<std::string> CutPage(const PageQuery& query,
                                    std::vector<Row>* rows) {
  return CutPage(query, rows,
                 [](const Row&, size_t index) { return AscendingKey(index); });
}

// Whether `text` contains `part`, ignoring case. An empty part matches.
bool ContainsText(std::string_view text, std::string_view part);
// INVALID_ARGUMENT: longer than 100 characters. `name` is the JSON name.
absl::Status CheckSearch(std::string_view name, std::string_view search);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_PAGING_H_
