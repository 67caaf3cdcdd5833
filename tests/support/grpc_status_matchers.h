// The matchers of status_matchers.h for grpc::Status.
#ifndef CARME_TESTS_SUPPORT_GRPC_STATUS_MATCHERS_H_
#define CARME_TESTS_SUPPORT_GRPC_STATUS_MATCHERS_H_

#include <grpcpp/support/status.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace grpc {

inline StatusCode CodeOf(const Status& status) { return status.error_code(); }
inline std::string MessageOf(const Status& status) {
  return status.error_message();
}
// gRPC's codes and Abseil's are the same numbers.
inline std::string CodeName(StatusCode code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

}  // namespace grpc

namespace Catch {

template <>
struct StringMaker<grpc::Status> {
  static std::string convert(const grpc::Status& status) {
    return absl::StrCat(grpc::CodeName(status.error_code()), ": ",
                        status.error_message());
  }
};

}  // namespace Catch

#endif  // CARME_TESTS_SUPPORT_GRPC_STATUS_MATCHERS_H_
