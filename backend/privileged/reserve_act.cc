// Reserves nodes for a user and those they name, and ends that again: as
// Slurm's own user, since Slurm lets no other do it. What this program's
// configuration allows is asked here, after the switch, of what Slurm has.
//
// Slurm keeps no owner of a reservation. The first of its users is the owner:
// it keeps their order, and nobody but its operators can change it.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backend/privileged/acts.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/request.h"
#include "backend/slurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::Request;
using privileged::v1::Reserve;
using privileged::v1::Response;

struct FreeReservations {
  void operator()(reserve_info_msg_t* message) const {
    slurm_free_reservation_info_msg(message);
  }
};
using Reservations = std::unique_ptr<reserve_info_msg_t, FreeReservations>;

// Null, with errno as libslurm sets it.
Reservations LoadReservations() {
  reserve_info_msg_t* loaded = nullptr;
  if (slurm_load_reservations(0, &loaded) != SLURM_SUCCESS) loaded = nullptr;
  return Reservations(loaded);
}

std::string_view NameOf(const reserve_info_t& reservation) {
  return reservation.name != nullptr ? reservation.name : "";
}

bool IsOwner(const reserve_info_t& reservation, const Account& account) {
  const std::string_view users =
      reservation.users != nullptr ? reservation.users : "";
  return users.substr(0, users.find(',')) == account.name;
}

// Null: there is none of that name.
const reserve_info_t* Find(const reserve_info_msg_t& all,
                           std::string_view name) {
  for (uint32_t i = 0; i < all.record_count; ++i) {
    if (NameOf(all.reservation_array[i]) == name) {
      return &all.reservation_array[i];
    }
  }
  return nullptr;
}

int CountOf(const reserve_info_msg_t& all, const Account& account) {
  return static_cast<int>(std::count_if(
      all.reservation_array, all.reservation_array + all.record_count,
      [&](const auto& row) {
        return NameOf(row).starts_with(kReservationPrefix) &&
               IsOwner(row, account);
      }));
}

absl::Status Refuse(absl::string_view why) {
  return absl::PermissionDeniedError(absl::StrCat("reserve: ", why));
}

absl::Status CheckOffered(const ReservingConfig& config,
                          const Account& account) {
  if (!config.IsOffered()) return Refuse("this site offers no reservations");
  RETURN_IF_ERROR(account.may_reserve.status());
  if (*account.may_reserve) return absl::OkStatus();
  return Refuse(absl::StrCat("user \"", account.name, "\" is not in group \"",
                             config.group, "\""));
}

// Who asks, whether it is there already or not.
absl::Status CheckOwner(const ReservingConfig& config, const Reserve& reserve,
                        const Account& account) {
  RETURN_IF_ERROR(CheckOffered(config, account));
  if (reserve.users(0) == account.name) return absl::OkStatus();
  return Refuse(absl::StrCat("first user \"", reserve.users(0),
                             "\": expected \"", account.name, "\""));
}

absl::Status CheckLimits(const ReservingConfig& config,
                         const Reserve& reserve) {
  if (std::find(config.partitions.begin(), config.partitions.end(),
                reserve.partition()) == config.partitions.end()) {
    return Refuse(absl::StrCat("partition \"", reserve.partition(),
                               "\": expected one of ",
                               absl::StrJoin(config.partitions, ", ")));
  }
  if (reserve.nodes() > config.most_nodes) {
    return Refuse(absl::StrCat(reserve.nodes(), " nodes: expected at most ",
                               config.most_nodes));
  }
  if (reserve.minutes() > config.most_minutes) {
    return Refuse(absl::StrCat(reserve.minutes(), " minutes: expected at most ",
                               config.most_minutes));
  }
  const absl::Time now = absl::Now();
  const absl::Time start = absl::FromUnixSeconds(reserve.start_unix_s());
  if (start < now - absl::Minutes(1) ||
      start > now + absl::Hours(24) * config.most_days_ahead) {
    return Refuse(absl::StrCat("a start that is past, or in more than ",
                               config.most_days_ahead, " days"));
  }
  return absl::OkStatus();
}

Response Create(const Reserve& reserve, const ImpersonatorConfig& config) {
  // libslurm's structure wants char*, though it only reads them.
  std::string name = reserve.name();
  std::string partition = reserve.partition();
  std::string feature = config.feature;
  std::string users = absl::StrJoin(reserve.users(), ",");
  uint32_t nodes[] = {static_cast<uint32_t>(reserve.nodes()), 0};
  resv_desc_msg_t description;
  slurm_init_resv_desc_msg(&description);
  description.name = name.data();
  description.partition = partition.data();
  description.features = feature.data();
  description.users = users.data();
  description.node_cnt = nodes;
  // What is past by a moment would be refused.
  description.start_time = static_cast<time_t>(
      std::max(reserve.start_unix_s(), absl::ToUnixSeconds(absl::Now())));
  description.duration = static_cast<uint32_t>(reserve.minutes());
  char* const made = slurm_create_reservation(&description);
  if (made == nullptr) return SlurmOutcome(slurm_get_errno());
  free(made);
  return Outcome(OUTCOME_OK, "");
}

// Nothing else of it changes.
Response LetIn(const reserve_info_t& made, const Reserve& reserve,
               ChildPipe* pipe) {
  std::string users = absl::StrJoin(reserve.users(), ",");
  if (users == made.users) return Outcome(OUTCOME_OK, "made before");
  std::string name = reserve.name();
  resv_desc_msg_t description;
  slurm_init_resv_desc_msg(&description);
  description.name = name.data();
  description.users = users.data();
  if (!pipe->Begin()) return NoGo();
  if (slurm_update_reservation(&description) != SLURM_SUCCESS) {
    return SlurmOutcome(slurm_get_errno());
  }
  return Outcome(OUTCOME_OK, "");
}

}  // namespace

Response ReserveNodes(const Request& request, const Account& account,
                      const ImpersonatorConfig& config, ChildPipe* pipe) {
  const Reserve& reserve = request.reserve();
  const absl::Status owns = CheckOwner(config.reserving, reserve, account);
  if (!owns.ok()) return OutcomeOf(owns);
  // Not before it is this one's turn: others of the user's may be made now.
  if (!pipe->AwaitGo()) return NoGo();
  const Reservations all = LoadReservations();
  if (all == nullptr) return SlurmOutcome(slurm_get_errno());
  // Asked for again, since an answer was lost, or others are to use it: its
  // name is made by chance.
  if (const reserve_info_t* made = Find(*all, reserve.name())) {
    if (IsOwner(*made, account)) return LetIn(*made, reserve, pipe);
    return OutcomeOf(Refuse("the name is another's"));
  }
  // Whoever ended it did so after the backend had looked.
  if (reserve.users_only()) {
    return Outcome(OUTCOME_NOT_FOUND, "there is no such reservation");
  }
  const absl::Status allowed = CheckLimits(config.reserving, reserve);
  if (!allowed.ok()) return OutcomeOf(allowed);
  const int count = CountOf(*all, account);
  if (count >= config.reserving.most_per_user) {
    return OutcomeOf(Refuse(absl::StrCat("user \"", account.name, "\" has ",
                                         count, ": expected fewer than ",
                                         config.reserving.most_per_user)));
  }
  if (!pipe->Begin()) return NoGo();
  return Create(reserve, config);
}

Response UnreserveNodes(const Request& request, const Account& account,
                        const ImpersonatorConfig& config, ChildPipe* pipe) {
  // What was made while the user was of the group is still theirs to end.
  if (!config.reserving.IsOffered()) {
    return OutcomeOf(CheckOffered(config.reserving, account));
  }
  std::string name = request.unreserve().name();
  const Reservations all = LoadReservations();
  if (all == nullptr) return SlurmOutcome(slurm_get_errno());
  const reserve_info_t* const found = Find(*all, name);
  if (found == nullptr) return Outcome(OUTCOME_OK, "reservation is over");
  if (!IsOwner(*found, account)) {
    return OutcomeOf(Refuse(
        absl::StrCat("\"", name, "\" is not of user \"", account.name, "\"")));
  }
  if (!pipe->Begin()) return NoGo();
  reservation_name_msg_t message{.name = name.data()};
  if (slurm_delete_reservation(&message) != SLURM_SUCCESS) {
    return SlurmOutcome(slurm_get_errno());
  }
  return Outcome(OUTCOME_OK, "");
}

}  // namespace carme::impersonator
