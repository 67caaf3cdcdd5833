#include "backend/rpc/convert/paging.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

std::vector<std::string> Cut(const PageQuery& query, std::string* next,
                             std::vector<std::string> rows = {"a", "b", "c",
                                                              "d", "e"}) {
  const auto token =
      CutPage(query, &rows, [](const std::string& row, size_t) { return row; });
  REQUIRE_THAT(token, IsOk());
  *next = *token;
  return rows;
}

TEST_CASE("paging: sizes and tokens that are not ours are refused",
          "[backend]") {
  for (const int size : {-1, kMaxPageSize + 1}) {
    CHECK(absl::IsInvalidArgument(PageSizeOf({.page_size = size}).status()));
  }
  const std::string token = PageTokenOf("b", "filter");
  for (const std::string& wrong : {std::string("!"), std::string("YQ"),
                                   std::string(600, 'A'), token.substr(1)}) {
    INFO(wrong);
    CHECK(absl::IsInvalidArgument(
        PageKeyOf({.page_token = wrong, .filter = "filter"}).status()));
  }
  CHECK(absl::IsInvalidArgument(
      PageKeyOf({.page_token = token, .filter = "another"}).status()));
  CHECK(absl::IsInvalidArgument(
      PageNumberOf({.page_token = PageTokenOf("-5", "")}).status()));
  CHECK(CheckSearch("search", std::string(101, 'x')).message() ==
        "search has 101 bytes: expected at most 100");
}

TEST_CASE("paging: pages are complete while the list changes", "[backend]") {
  std::string next;
  CHECK(Cut({}, &next).size() == 5);
  CHECK(next.empty());
  CHECK(Cut({.page_size = 2}, &next) == std::vector<std::string>{"a", "b"});
  const std::string second = next;
  CHECK(Cut({.page_size = 2, .page_token = second}, &next) ==
        std::vector<std::string>{"c", "d"});
  CHECK(Cut({.page_size = 2, .page_token = next}, &next) ==
        std::vector<std::string>{"e"});
  CHECK(next.empty());
  // The last row of the page before is not there any more.
  CHECK(Cut({.page_size = 2, .page_token = second}, &next,
            {"a", "c", "d", "e"}) == std::vector<std::string>{"c", "d"});
  CHECK(Cut({.page_token = second}, &next, {"a"}).empty());
  CHECK(next.empty());
  CHECK(*PageNumberOf({.page_token = PageTokenOf(17, "")}) == 17);
  CHECK(*PageNumberOf({}) == 0);
  CHECK(DescendingKey(2) < DescendingKey(1));
  CHECK(AscendingKey(9) < AscendingKey(10));
  CHECK(ContainsText("Physics 2026", "PHYS"));
}

}  // namespace
}  // namespace carme::backend
