#include "backend/privileged/storage_actor.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/account.h"
#include "backend/privileged/actor.h"
#include "backend/privileged/order.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/storage_areas.h"
#include "backend/privileged/storage_reader.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

// The reader has answered by then, its parent has not yet given up.
constexpr absl::Duration kForReader = absl::Seconds(3);
constexpr absl::Duration kForActor = absl::Seconds(5);

absl::StatusOr<StorageUser> Decide(const std::string& bytes,
                                   const ImpersonatorConfig& config) {
  ASSIGN_OR_RETURN(const Order order, DecodeOrder(bytes));
  StorageUser user;
  ASSIGN_OR_RETURN(user.account, DecideWhom(order, config.policy));
  if (AsksForGroups(config.storage)) {
    ASSIGN_OR_RETURN(user.groups, LookUpGroupNames(user.account.groups));
  }
  return user;
}

// The bytes of a Response.
std::string Obey(const std::string& bytes, const ImpersonatorConfig& config,
                 absl::StatusOr<Child>* reader, ChildPipe* pipe) {
  const absl::StatusOr<StorageUser> user = Decide(bytes, config);
  if (!user.ok()) return OutcomeOf(user.status()).SerializeAsString();
  pipe->Permit();
  // Changes nothing, and takes a place: not before the limits have let it.
  if (!pipe->AwaitGo()) return NoGo().SerializeAsString();
  if (!reader->ok()) return OutcomeOf(reader->status()).SerializeAsString();
  (*reader)->Order(EncodeStorageUser(*user));
  const ChildReport report =
      (*reader)->Await(absl::Now() + config.storage.timeout + kForReader);
  if (report.answered) return report.answer;
  return OutcomeOf(absl::UnavailableError(
                       absl::StrCat("the reader of storage ", report.end)))
      .SerializeAsString();
}

}  // namespace

absl::Duration StorageActTimeout(const ImpersonatorConfig& config) {
  return config.storage.timeout + kForActor;
}

absl::StatusOr<Child> StartStorageActor(const ImpersonatorConfig& config,
                                        const SystemCallFilters& filters) {
  return Child::Start([&](ChildPipe* pipe) {
    pipe->CloseOthers();
    absl::StatusOr<Child> reader = StartStorageReader(config.storage, filters);
    if (!filters.storage_actor.Install().ok()) return;
    const std::string bytes = pipe->AwaitOrder();
    if (bytes.empty()) return;
    pipe->Answer(Obey(bytes, config, &reader, pipe));
  });
}

}  // namespace carme::impersonator
