// The client against storage readers that misbehave.
#include "backend/storage/storage_reader_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "carme/privileged/v1/storage.pb.h"
#include "common/unique_fd.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using privileged::v1::StorageRequest;
using privileged::v1::StorageResponse;

// Serves one connection with `serve`.
class FakeStorageServer {
 public:
  explicit FakeStorageServer(std::function<void(int)> serve)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address) == 0);
    REQUIRE(listen(listener_.get(), 1) == 0);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const UniqueFd fd(accept(listener_.get(), nullptr, nullptr));
      serve(fd.get());
    });
  }
  ~FakeStorageServer() { thread_.join(); }
  std::string path() const { return dir_.File("socket"); }

 private:
  TempDir dir_;
  UniqueFd listener_;
  std::thread thread_;
};

absl::StatusOr<std::vector<StorageArea>> ReadFrom(const std::string& socket) {
  StorageReaderClient client(
      {.socket = socket, .timeout = testing::kWaitTimeout});
  return client.ReadStorageAsUser({"ada", Uid(20001)}, "r1");
}

absl::StatusOr<std::vector<StorageArea>> ReadAnswered(
    const StorageResponse& response, StorageRequest* request) {
  const FakeStorageServer server([&](int fd) {
    const auto body = ReadFrame(fd, absl::Now() + testing::kWaitTimeout);
    if (body.ok()) request->ParseFromString(*body);
    WriteFrame(fd, response.SerializeAsString()).IgnoreError();
  });
  return ReadFrom(server.path());
}

TEST_CASE("storage reader client: refuses invalid configuration", "[backend]") {
  auto file = ConfigFile::Parse(
      "[storage_reader]\nsocket = \"x\"\ntimeout_s = 1\n", "x.toml");
  REQUIRE_THAT(file, IsOk());
  ReadStorageReaderClientConfig(file->root());
  const std::string error(file->Finish().message());
  CHECK_THAT(error, Catch::Contains(":2: \"storage_reader.socket\"") &&
                        Catch::Contains(":3: \"storage_reader.timeout_s\""));
  auto empty = ConfigFile::Parse("", "x.toml");
  REQUIRE_THAT(empty, IsOk());
  CHECK(ReadStorageReaderClientConfig(empty->root()).socket ==
        "/run/carme-storage-reader/socket");
}

TEST_CASE("storage reader client: unavailable without a storage reader",
          "[backend]") {
  const TempDir dir;
  CHECK_THAT(ReadFrom(dir.File("socket")),
             StatusIs(absl::StatusCode::kUnavailable,
                      "connect to the storage reader's socket"));
  StorageReaderClient client({.socket = dir.File("socket")});
  CHECK_FALSE(client.availability().state().observed());
  client.ProbeIdle();
  CHECK_THAT(client.availability().state().status,
             StatusIs(absl::StatusCode::kUnavailable));
}

TEST_CASE("storage reader client: aborted if the storage reader exits",
          "[backend]") {
  const FakeStorageServer dies([](int fd) {
    ReadFrame(fd, absl::Now() + testing::kWaitTimeout).IgnoreError();
  });
  CHECK_THAT(ReadFrom(dies.path()), StatusIs(absl::StatusCode::kAborted));
}

TEST_CASE("storage reader client: each outcome has its code", "[backend]") {
  for (const auto& [outcome, code] :
       {std::pair{privileged::v1::OUTCOME_REFUSED,
                  absl::StatusCode::kPermissionDenied},
        {privileged::v1::OUTCOME_UNAVAILABLE, absl::StatusCode::kUnavailable},
        {privileged::v1::OUTCOME_EXHAUSTED,
         absl::StatusCode::kResourceExhausted},
        {privileged::v1::OUTCOME_FAILED, absl::StatusCode::kInternal},
        {privileged::v1::OUTCOME_UNSPECIFIED, absl::StatusCode::kAborted}}) {
    StorageResponse response;
    response.set_outcome(outcome);
    response.set_message("why");
    StorageRequest request;
    CHECK_THAT(ReadAnswered(response, &request), StatusIs(code, "why"));
  }
}

TEST_CASE("storage reader client: sends the user and returns the areas",
          "[backend]") {
  StorageResponse response;
  response.set_outcome(privileged::v1::OUTCOME_OK);
  privileged::v1::StorageArea* area = response.add_areas();
  area->set_name("Home");
  area->set_used_bytes(10);
  area->set_limit_bytes(20);
  area->set_grace_ends_unix_s(1'800'000'000);
  StorageRequest request;
  const auto areas = ReadAnswered(response, &request);
  REQUIRE_THAT(areas, IsOk());
  CHECK(request.user() == "ada");
  CHECK(request.uid() == 20001);
  CHECK(request.request_id() == "r1");
  REQUIRE(areas->size() == 1);
  CHECK(areas->at(0).name == "Home");
  CHECK(areas->at(0).bytes.used == 10);
  CHECK(areas->at(0).bytes.limit == 20);
  CHECK(areas->at(0).grace_ends == absl::FromUnixSeconds(1'800'000'000));
}

}  // namespace
}  // namespace carme::backend
