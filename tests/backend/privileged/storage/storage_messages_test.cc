#include "backend/privileged/storage/storage_messages.h"

#include <catch2/catch.hpp>
#include <string>

#include "carme/privileged/v1/privileged.pb.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::storage_reader {
namespace {

privileged::v1::StorageRequest ValidRequest() {
  privileged::v1::StorageRequest request;
  request.set_request_id("r1");
  request.set_user("ada");
  request.set_uid(20001);
  return request;
}

TEST_CASE("storage messages: refuses operations of the impersonator",
          "[backend]") {
  for (const privileged::v1::Request& request :
       {impersonator::ValidSubmit(), impersonator::ValidCancel(),
        impersonator::ValidReadLog(), impersonator::ValidReserve()}) {
    CHECK_THAT(ParseStorageRequest(request.SerializeAsString()),
               StatusIs(absl::StatusCode::kInvalidArgument, "unknown fields"));
  }
}

TEST_CASE("storage messages: refuses invalid fields", "[backend]") {
  for (const std::string& user :
       {std::string(), std::string("-ada"), std::string("../ada"),
        std::string("ada bob"), std::string(65, 'a')}) {
    privileged::v1::StorageRequest request = ValidRequest();
    request.set_user(user);
    CHECK_THAT(ParseStorageRequest(request.SerializeAsString()),
               StatusIs(absl::StatusCode::kInvalidArgument, "\"user\""));
  }
  privileged::v1::StorageRequest request = ValidRequest();
  request.set_request_id("a b");
  CHECK_THAT(ParseStorageRequest(request.SerializeAsString()),
             StatusIs(absl::StatusCode::kInvalidArgument, "\"request_id\""));
  request = ValidRequest();
  request.set_uid(UINT32_MAX);
  CHECK_THAT(ParseStorageRequest(request.SerializeAsString()),
             StatusIs(absl::StatusCode::kInvalidArgument, "\"uid\""));
  CHECK_FALSE(ParseStorageRequest("\xff\xff").ok());
  CHECK_FALSE(ParseStorageRequest(std::string(65537, 'x')).ok());
}

TEST_CASE("storage messages: accepts a valid request", "[backend]") {
  const auto request = ParseStorageRequest(ValidRequest().SerializeAsString());
  REQUIRE_THAT(request, IsOk());
  CHECK(request->user() == "ada");
}

}  // namespace
}  // namespace carme::storage_reader
