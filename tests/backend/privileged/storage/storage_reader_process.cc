#include "tests/backend/privileged/storage/storage_reader_process.h"

#include <catch2/catch.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/privileged/protocol/frame_io.h"
#include "tests/support/wait_for.h"

namespace carme::storage_reader {

using privileged::v1::StorageRequest;
using privileged::v1::StorageResponse;

StorageRequest ValidStorageRequest(const std::string& user, uid_t uid) {
  StorageRequest request;
  request.set_request_id("r1");
  request.set_user(user);
  request.set_uid(uid);
  return request;
}

StorageReaderProcess::StorageReaderProcess(const std::string& settings,
                                           Ways ways)
    : RootProgramProcess(CARME_STORAGE_READER, std::move(ways)) {
  Start(settings, {absl::StrCat("socket = \"", socket(), "\""),
                   "peer_user = \"carme\"", "allowed_group = \"carme-users\""});
}

StorageResponse StorageReaderProcess::Exchange(const std::string& bytes) const {
  StorageResponse response;
  const auto answer = ExchangeBytes(bytes, testing::kWaitTimeout);
  if (answer.ok()) REQUIRE(response.ParseFromString(*answer));
  return response;
}

StorageResponse StorageReaderProcess::ReadStorage(const std::string& user,
                                                  uid_t uid) const {
  return Exchange(
      EncodeFrame(ValidStorageRequest(user, uid).SerializeAsString()));
}

}  // namespace carme::storage_reader
