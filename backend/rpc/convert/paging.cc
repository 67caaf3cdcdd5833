#include "backend/rpc/convert/paging.h"

#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/rpc/convert/messages.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kFilterBytes = 8;  // of the filter's hash, in front of the key
constexpr size_t kMaxTokenBytes = 512;
constexpr size_t kMaxSearchBytes = 100;

std::string FilterMark(std::string_view filter) {
  return Sha256(filter).substr(0, kFilterBytes);
}

}  // namespace

absl::StatusOr<int> PageSizeOf(const PageQuery& query) {
  if (query.page_size == 0) return query.default_size;
  if (query.page_size > 0 && query.page_size <= query.max_size) {
    return query.page_size;
  }
  return MakeError(rpc_convert_messages::kPageSizeInvalid,
                   {{"size", query.page_size}, {"max", query.max_size}});
}

absl::StatusOr<std::string> PageKeyOf(const PageQuery& query) {
  if (query.page_token.empty()) return "";
  const std::optional<std::string> bytes =
      query.page_token.size() <= kMaxTokenBytes
          ? Base64UrlDecode(query.page_token)
          : std::nullopt;
  if (bytes && bytes->size() > kFilterBytes &&
      bytes->substr(0, kFilterBytes) == FilterMark(query.filter)) {
    return bytes->substr(kFilterBytes);
  }
  return MakeError(rpc_convert_messages::kPageTokenOfAnotherFilter);
}

std::string PageTokenOf(std::string_view key, std::string_view filter) {
  return Base64UrlEncode(absl::StrCat(FilterMark(filter), std::string(key)));
}

absl::StatusOr<int64_t> PageNumberOf(const PageQuery& query) {
  ASSIGN_OR_RETURN(const std::string key, PageKeyOf(query));
  int64_t number = 0;
  if (key.empty() || (absl::SimpleAtoi(key, &number) && number > 0)) {
    return number;
  }
  return MakeError(rpc_convert_messages::kPageTokenInvalid);
}

std::string PageTokenOf(int64_t number, std::string_view filter) {
  return PageTokenOf(absl::StrCat(number), filter);
}

std::string AscendingKey(uint64_t number) {
  return absl::StrFormat("%020d", number);
}

std::string DescendingKey(uint64_t number) {
  return AscendingKey(std::numeric_limits<uint64_t>::max() - number);
}

bool ContainsText(std::string_view text, std::string_view part) {
  return absl::StrContains(absl::AsciiStrToLower(std::string(text)),
                           absl::AsciiStrToLower(std::string(part)));
}

absl::Status CheckSearch(std::string_view name, std::string_view search) {
  if (search.size() <= kMaxSearchBytes) return absl::OkStatus();
  return MakeError(rpc_convert_messages::kSearchTooLong,
                   {{"field", std::string(name)},
                    {"bytes", search.size()},
                    {"max", kMaxSearchBytes}});
}

}  // namespace carme::backend
