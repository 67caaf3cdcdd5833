#include "backend/privileged/storage/reader_process.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/become_user.h"
#include "backend/privileged/storage/area_reading.h"
#include "backend/privileged/storage/areas.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/status.h"

namespace carme::storage_reader {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::StorageResponse;

// A command has been killed by then.
constexpr absl::Duration kGrace = absl::Seconds(2);
constexpr size_t kMaxMessage = 1024;

struct Reading {
  AreaToRead area;
  absl::StatusOr<Child> child;
};

absl::StatusOr<Child> StartReading(const AreaToRead& area, absl::Time deadline,
                                   const StorageReaderFilters& filters) {
  const pid_t parent = getpid();
  return Child::Start([&](ChildPipe* pipe) {
    pipe->CloseOthers();
    // A process that runs a program must kill it before it ends itself. It
    // notices by its socket that its parent is gone.
    if (area.kind != StorageAreaConfig::Kind::kCommand) {
      DieWithParent(parent);
      if (!filters.area.Install().ok()) return;
    }
    pipe->Respond(
        ReadStorageArea(area, pipe->fd(), deadline).SerializeAsString());
  });
}

StorageResponse Await(const AreaToRead& area, absl::StatusOr<Child>* child,
                      absl::Time deadline) {
  if (!child->ok()) {
    return AreaWithProblem(area, "The usage cannot be read.",
                           child->status().ToString());
  }
  const ChildReport report = (*child)->Await(deadline);
  StorageResponse response;
  if (report.responded && response.ParseFromString(report.response) &&
      response.areas_size() == 1) {
    return response;
  }
  return AreaWithProblem(area,
                         report.end == "timed out"
                             ? "The file system does not respond."
                             : "The usage cannot be read.",
                         report.end);
}

// Adds an area to the response.
void Add(const AreaToRead& area, const StorageResponse& read,
         StorageResponse* response) {
  // A group may have no directory in an area.
  if (area.of_group && read.outcome() == OUTCOME_NOT_FOUND) return;
  *response->add_areas() = read.areas(0);
  if (read.message().empty() || response->message().size() > kMaxMessage)
    return;
  absl::StrAppend(response->mutable_message(),
                  response->message().empty() ? "" : "; ", read.message());
}

// `readings` must outlive the response: their destructors wait for the end of
// processes that may hang.
StorageResponse ReadAs(const std::string& message, const StorageConfig& config,
                       const StorageReaderFilters& filters, int parent_fd,
                       pid_t parent, std::vector<Reading>* readings) {
  const absl::StatusOr<StorageUser> user = DecodeStorageUser(message);
  if (!user.ok()) return StorageResponseFor(user.status());
  const absl::Status became = BecomeUser(user->account, parent_fd);
  if (!became.ok())
    return StorageResponseFor(Annotate(became, "become the user"));
  DieWithParent(parent);  // cleared by the change of the user id
  const absl::Time deadline = absl::Now() + config.timeout;
  const std::vector<AreaToRead> areas = AreasFor(config, *user);
  readings->reserve(areas.size());
  for (const AreaToRead& area : areas) {
    readings->push_back({area, StartReading(area, deadline, filters)});
  }
  StorageResponse response = MakeStorageResponse(OUTCOME_OK, "");
  for (Reading& reading : *readings) {
    const StorageResponse read =
        Await(reading.area, &reading.child, deadline + kGrace);
    Add(reading.area, read, &response);
  }
  return response;
}

}  // namespace

absl::StatusOr<Child> StartStorageReader(const StorageConfig& config,
                                         const StorageReaderFilters& filters) {
  const pid_t parent = getpid();
  return Child::Start([&](ChildPipe* pipe) {
    DieWithParent(parent);
    pipe->CloseOthers();
    const std::string message = pipe->AwaitRequest();
    if (message.empty()) return;
    std::vector<Reading> readings;
    pipe->Respond(
        ReadAs(message, config, filters, pipe->fd(), parent, &readings)
            .SerializeAsString());
  });
}

}  // namespace carme::storage_reader
