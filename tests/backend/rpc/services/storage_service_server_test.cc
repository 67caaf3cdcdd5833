#include <grpcpp/client_context.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backend/rpc/services/services.h"
#include "backend/storage/storage_cache.h"
#include "carme/v1/storage.grpc.pb.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

class FixedReader : public StorageReader {
 public:
  absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& /*request_id*/) override {
    if (!failure_.ok()) return failure_;
    return std::vector<StorageArea>{
        {.name = "Home of " + user.name,
         .path = "/home",
         .bytes = {.used = 60, .soft_limit = 50, .limit = 100},
         .files = {.used = 1},
         .grace_ends = absl::FromUnixSeconds(1'800'000'600)},
        {.name = "Work", .path = "/work", .bytes = {.used = 1}, .shared = true},
        {.name = "Gone", .path = "/gone", .problem = "It does not answer."}};
  }
  absl::Status failure_;
};

struct Site {
  FakeClock clock;
  FixedReader reader;
  StorageCache readings{&reader, &clock};
  FixedSessions sessions;
  GuardedServer server{&sessions, NewStorageService(&readings), "storage"};

  grpc::Status Get(v1::GetStorageResponse* response) {
    const auto stub = v1::StorageService::NewStub(
        server.Connect(Port::kClients, kFrontendNames));
    grpc::ClientContext context;
    context.AddMetadata("carme-session", "token-of-ada");
    context.set_deadline(
        absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
    return stub->GetStorage(&context, {}, response);
  }
};

TEST_CASE("storage service: does not mention sockets in its errors",
          "[backend]") {
  for (const absl::Status& failure :
       {absl::UnavailableError("connect to the impersonator's socket \"/x\""),
        absl::InternalError("the act's process ended with code 1"),
        absl::PermissionDeniedError("uid 1 is below min_uid 1000")}) {
    Site site;
    site.reader.failure_ = failure;
    v1::GetStorageResponse response;
    const grpc::Status status = site.Get(&response);
    CHECK_THAT(status, StatusIs(grpc::StatusCode::UNAVAILABLE));
    CHECK(status.error_message() ==
          "your storage usage cannot be read now; try again");
  }
}

TEST_CASE("storage service: returns when to ask again", "[backend]") {
  Site site;
  site.reader.failure_ = absl::ResourceExhaustedError("wait a minute");
  v1::GetStorageResponse response;
  CHECK_THAT(site.Get(&response),
             StatusIs(grpc::StatusCode::RESOURCE_EXHAUSTED));
}

TEST_CASE("storage service: shows the caller's areas", "[backend]") {
  Site site;
  v1::GetStorageResponse response;
  REQUIRE_THAT(site.Get(&response), IsOk());
  CHECK(response.read_at().seconds() == 1'800'000'000);
  REQUIRE(response.areas_size() == 3);
  const v1::StorageArea& home = response.areas(0);
  CHECK(home.name() == "Home of ada");
  CHECK(home.path() == "/home");
  CHECK(home.bytes().used() == 60);
  CHECK(home.bytes().soft_limit() == 50);
  CHECK(home.bytes().limit() == 100);
  CHECK(home.files().used() == 1);
  CHECK(home.grace_ends().seconds() == 1'800'000'600);
  CHECK_FALSE(home.shared());
  CHECK(response.areas(1).shared());
  CHECK_FALSE(response.areas(1).has_files());
  CHECK_FALSE(response.areas(1).has_grace_ends());
  CHECK(response.areas(2).problem() == "It does not answer.");
  CHECK_FALSE(response.areas(2).has_bytes());
}

}  // namespace
}  // namespace carme::backend
