// Matchers for what returns a status: REQUIRE_THAT(store.Open(), IsOk()) prints
// the status when it fails, which REQUIRE(store.Open().ok()) cannot. For
// absl::Status, absl::StatusOr, and with grpc_status_matchers.h grpc::Status.
#ifndef CARME_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define CARME_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace carme {

inline absl::StatusCode CodeOf(const absl::Status& status) {
  return status.code();
}
inline std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}
template <typename T>
absl::StatusCode CodeOf(const absl::StatusOr<T>& result) {
  return result.status().code();
}
template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}
inline std::string CodeName(absl::StatusCode code) {
  return absl::StatusCodeToString(code);
}

class IsOkMatcher {
 public:
  bool match(const auto& result) const { return result.ok(); }
  std::string toString() const { return "is OK"; }
};

template <typename Code>
class StatusIsMatcher {
 public:
  StatusIsMatcher(Code code, std::string part)
      : code_(code), part_(std::move(part)) {}

  bool match(const auto& result) const {
    return CodeOf(result) == code_ &&
           MessageOf(result).find(part_) != std::string::npos;
  }
  std::string toString() const {
    return absl::StrCat("is ", CodeName(code_),
                        part_.empty() ? "" : " with \"" + part_ + "\"");
  }

 private:
  Code code_;
  std::string part_;
};

inline IsOkMatcher IsOk() { return {}; }

// `part` is in the message.
template <typename Code>
StatusIsMatcher<Code> StatusIs(Code code, std::string part = "") {
  return {code, std::move(part)};
}

}  // namespace carme

namespace Catch {

template <>
struct StringMaker<absl::Status> {
  static std::string convert(const absl::Status& status) {
    return status.ToString();
  }
};

template <typename T>
struct StringMaker<absl::StatusOr<T>> {
  static std::string convert(const absl::StatusOr<T>& result) {
    return result.status().ToString();
  }
};

}  // namespace Catch

#endif  // CARME_TESTS_SUPPORT_STATUS_MATCHERS_H_
