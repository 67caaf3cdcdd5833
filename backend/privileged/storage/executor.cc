#include "backend/privileged/storage/executor.h"

#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/authz/policy.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/protocol/claimed_user.h"
#include "backend/privileged/storage/areas.h"
#include "backend/privileged/storage/messages.h"
#include "backend/privileged/storage/reader_process.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/status.h"

namespace carme::storage_reader {
namespace {

// The reader has responded by then; the request process still waits.
constexpr absl::Duration kReaderTimeout = absl::Seconds(3);
constexpr absl::Duration kExecutorTimeout = absl::Seconds(5);

absl::StatusOr<StorageUser> ResolveUser(const std::string& bytes,
                                        const StorageReaderConfig& config) {
  ASSIGN_OR_RETURN(const ClaimedUser claimed, DecodeClaimedUser(bytes));
  StorageUser user;
  ASSIGN_OR_RETURN(user.account,
                   AuthorizeUser(config.policy, claimed.name, claimed.uid));
  if (NeedsGroups(config.storage)) {
    ASSIGN_OR_RETURN(user.groups, LookUpGroupNames(user.account.groups));
  }
  return user;
}

// Returns a serialized StorageResponse.
std::string HandleRequest(const std::string& bytes,
                          const StorageReaderConfig& config,
                          absl::StatusOr<Child>* reader, ChildPipe* pipe) {
  const absl::StatusOr<StorageUser> user = ResolveUser(bytes, config);
  if (!user.ok()) return StorageResponseFor(user.status()).SerializeAsString();
  pipe->Permit();
  // It changes nothing, but waits until the limits have admitted it.
  if (!pipe->AwaitCommit()) {
    return StorageResponseFor(
               MakePlainError(storage_reader_messages::kNoCommit))
        .SerializeAsString();
  }
  if (!reader->ok())
    return StorageResponseFor(reader->status()).SerializeAsString();
  (*reader)->SendRequest(EncodeStorageUser(*user));
  const ChildReport report =
      (*reader)->Await(absl::Now() + config.storage.timeout + kReaderTimeout);
  if (report.responded) return report.response;
  return StorageResponseFor(
             MakePlainError(storage_reader_messages::kReaderEnded,
                            {{"cause", report.end}}))
      .SerializeAsString();
}

}  // namespace

absl::Duration ReadingTimeout(const StorageReaderConfig& config) {
  return config.storage.timeout + kExecutorTimeout;
}

absl::StatusOr<Child> StartStorageExecutor(
    const StorageReaderConfig& config, const StorageReaderFilters& filters) {
  return Child::Start([&](ChildPipe* pipe) {
    pipe->CloseOthers();
    absl::StatusOr<Child> reader = StartStorageReader(config.storage, filters);
    if (!filters.executor.Install().ok()) return;
    const std::string bytes = pipe->AwaitRequest();
    if (bytes.empty()) return;
    pipe->Respond(HandleRequest(bytes, config, &reader, pipe));
  });
}

}  // namespace carme::storage_reader
