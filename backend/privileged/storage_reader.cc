#include "backend/privileged/storage_reader.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/become_user.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/storage_area_reading.h"
#include "backend/privileged/storage_areas.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::Response;

// A command has been ended by then.
constexpr absl::Duration kGrace = absl::Seconds(2);
constexpr size_t kMostMessage = 1024;

struct Reading {
  AreaToRead area;
  absl::StatusOr<Child> child;
};

absl::StatusOr<Child> StartReading(const AreaToRead& area, absl::Time deadline,
                                   const SystemCallFilters& filters) {
  const pid_t parent = getpid();
  return Child::Start([&](ChildPipe* pipe) {
    pipe->CloseOthers();
    // Who runs a program has to end all of it before it ends itself, and sees
    // by its line that its parent is gone.
    if (area.kind != StorageAreaConfig::Kind::kCommand) {
      DieWith(parent);
      if (!filters.storage_area.Install().ok()) return;
    }
    pipe->Answer(
        ReadStorageArea(area, pipe->fd(), deadline).SerializeAsString());
  });
}

Response Await(const AreaToRead& area, absl::StatusOr<Child>* child,
               absl::Time deadline) {
  if (!child->ok()) {
    return AreaWithProblem(area, "It cannot be read.",
                           child->status().ToString());
  }
  const ChildReport report = (*child)->Await(deadline);
  Response response;
  if (report.answered && response.ParseFromString(report.answer) &&
      response.storage_size() == 1) {
    return response;
  }
  return AreaWithProblem(
      area,
      report.end == "timed out" ? "It does not answer." : "It cannot be read.",
      report.end);
}

// Adds what was read to the answer.
void Add(const AreaToRead& area, const Response& read, Response* answer) {
  // Not every group has a directory everywhere.
  if (area.of_group && read.outcome() == OUTCOME_NOT_FOUND) return;
  *answer->add_storage() = read.storage(0);
  if (read.message().empty() || answer->message().size() > kMostMessage) return;
  absl::StrAppend(answer->mutable_message(),
                  answer->message().empty() ? "" : "; ", read.message());
}

// `readings` outlive the answer: to wait for the end of one that hangs would
// take as long as that does.
Response ReadAs(const std::string& order, const StorageConfig& config,
                const SystemCallFilters& filters, int line, pid_t parent,
                std::vector<Reading>* readings) {
  const absl::StatusOr<StorageUser> user = DecodeStorageUser(order);
  if (!user.ok()) return OutcomeOf(user.status());
  const absl::Status became = BecomeUser(user->account, line);
  if (!became.ok()) return OutcomeOf(Annotate(became, "become the user"));
  DieWith(parent);  // a new user id has taken it back
  const absl::Time deadline = absl::Now() + config.timeout;
  const std::vector<AreaToRead> areas = AreasOf(config, *user);
  readings->reserve(areas.size());
  for (const AreaToRead& area : areas) {
    readings->push_back({area, StartReading(area, deadline, filters)});
  }
  Response answer = Outcome(OUTCOME_OK, "");
  for (Reading& reading : *readings) {
    const Response read =
        Await(reading.area, &reading.child, deadline + kGrace);
    Add(reading.area, read, &answer);
  }
  return answer;
}

}  // namespace

absl::StatusOr<Child> StartStorageReader(const StorageConfig& config,
                                         const SystemCallFilters& filters) {
  const pid_t parent = getpid();
  return Child::Start([&](ChildPipe* pipe) {
    DieWith(parent);
    pipe->CloseOthers();
    const std::string order = pipe->AwaitOrder();
    if (order.empty()) return;
    std::vector<Reading> readings;
    pipe->Answer(ReadAs(order, config, filters, pipe->fd(), parent, &readings)
                     .SerializeAsString());
  });
}

}  // namespace carme::impersonator
