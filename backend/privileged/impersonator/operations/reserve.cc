// Creates and deletes reservations for a user and the users they name, and for
// maintenance. Runs as SlurmUser, because Slurm does not allow users to do it.
// The limits of this program's configuration are checked here, after the
// switch, with what Slurm reports.
//
// Slurm stores no owner of a reservation. The first user in its list is the
// owner: Slurm keeps the order, and only its operators can change it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::Request;
using privileged::v1::Reserve;
using privileged::v1::ReserveForMaintenance;
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

// Null: no such reservation.
const reserve_info_t* Find(const reserve_info_msg_t& all,
                           std::string_view name) {
  for (uint32_t i = 0; i < all.record_count; ++i) {
    if (NameOf(all.reservation_array[i]) == name) {
      return &all.reservation_array[i];
    }
  }
  return nullptr;
}

int CountOwned(const reserve_info_msg_t& all, const Account& account) {
  return static_cast<int>(std::count_if(
      all.reservation_array, all.reservation_array + all.record_count,
      [&](const auto& row) {
        return NameOf(row).starts_with(kReservationPrefix) &&
               (row.flags & RESERVE_FLAG_MAINT) == 0 && IsOwner(row, account);
      }));
}

absl::Status CheckOffered(const ReservationConfig& config,
                          const Account& account) {
  if (!config.IsOffered())
    return MakePlainError(operation_messages::kReserveDisabled);
  RETURN_IF_ERROR(account.may_reserve.status());
  if (*account.may_reserve) return absl::OkStatus();
  return MakePlainError(operation_messages::kReserveNotInGroup,
                        {{"user", account.name}, {"group", config.group}});
}

// Applies to new and existing reservations.
absl::Status CheckOwner(const ReservationConfig& config, const Reserve& reserve,
                        const Account& account) {
  RETURN_IF_ERROR(CheckOffered(config, account));
  if (reserve.users(0) == account.name) return absl::OkStatus();
  return MakePlainError(operation_messages::kReserveFirstUser,
                        {{"found", reserve.users(0)}, {"user", account.name}});
}

absl::Status CheckLimits(const ReservationConfig& config,
                         const Reserve& reserve) {
  if (std::find(config.partitions.begin(), config.partitions.end(),
                reserve.partition()) == config.partitions.end()) {
    return MakePlainError(
        operation_messages::kReservePartition,
        {{"partition", reserve.partition()},
         {"partitions", absl::StrJoin(config.partitions, ", ")}});
  }
  if (reserve.nodes() > config.max_nodes) {
    return MakePlainError(
        operation_messages::kReserveTooManyNodes,
        {{"nodes", reserve.nodes()}, {"max", config.max_nodes}});
  }
  if (reserve.minutes() > config.max_minutes) {
    return MakePlainError(
        operation_messages::kReserveTooLong,
        {{"minutes", reserve.minutes()}, {"max", config.max_minutes}});
  }
  const absl::Time now = absl::Now();
  const absl::Time start = absl::FromUnixSeconds(reserve.start_unix_s());
  if (start < now - absl::Minutes(1) ||
      start > now + absl::Hours(24) * config.max_days_ahead) {
    return MakePlainError(operation_messages::kReserveStart,
                          {{"max", config.max_days_ahead}});
  }
  return absl::OkStatus();
}

Response Create(const Reserve& reserve, const ImpersonatorConfig& config) {
  // libslurm's structure has char* members that it only reads.
  std::string name = reserve.name();
  std::string partition = reserve.partition();
  std::string feature = config.feature;
  std::string users = absl::StrJoin(reserve.users(), ",");
  std::array<uint32_t, 2> nodes{};
  resv_desc_msg_t description;
  slurm_init_resv_desc_msg(&description);
  description.name = name.data();
  description.partition = partition.data();
  description.features = feature.data();
  description.users = users.data();
  SetNodeCount(static_cast<uint32_t>(reserve.nodes()), &nodes, &description);
  // Slurm refuses a start that is in the past by a moment.
  description.start_time = static_cast<time_t>(
      std::max(reserve.start_unix_s(), absl::ToUnixSeconds(absl::Now())));
  description.duration = static_cast<uint32_t>(reserve.minutes());
  char* const created = slurm_create_reservation(&description);
  if (created == nullptr) return SlurmErrorResponse(SlurmErrno());
  free(created);
  return MakeResponse(OUTCOME_OK, "");
}

// Changes the users of an existing reservation and nothing else.
Response SetUsers(const reserve_info_t& existing, const Reserve& reserve,
                  ChildPipe* pipe) {
  std::string users = absl::StrJoin(reserve.users(), ",");
  if (users == existing.users) return MakeResponse(OUTCOME_OK, "unchanged");
  std::string name = reserve.name();
  resv_desc_msg_t description;
  slurm_init_resv_desc_msg(&description);
  description.name = name.data();
  description.users = users.data();
  if (!pipe->Begin()) return NotCommitted();
  if (slurm_update_reservation(&description) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

absl::Status CheckMayMaintain(const MaintenanceConfig& config,
                              const Account& account) {
  if (!config.IsOffered()) {
    return MakePlainError(operation_messages::kMaintenanceDisabled);
  }
  RETURN_IF_ERROR(account.may_reserve_for_maintenance.status());
  if (*account.may_reserve_for_maintenance) return absl::OkStatus();
  return MakePlainError(operation_messages::kMaintenanceNotInGroup,
                        {{"user", account.name}, {"group", config.group}});
}

// IGN_JOBS: running jobs continue, and do not prevent the reservation.
Response CreateForMaintenance(const ReserveForMaintenance& reserve,
                              const Account& account) {
  std::string name = reserve.name();
  std::string partition = reserve.partition();
  std::string nodes = reserve.nodes().empty() ? "ALL" : reserve.nodes();
  std::string users = account.name;
  resv_desc_msg_t description;
  slurm_init_resv_desc_msg(&description);
  description.name = name.data();
  description.node_list = nodes.data();
  description.users = users.data();
  description.flags = RESERVE_FLAG_MAINT | RESERVE_FLAG_IGN_JOBS;
  if (!partition.empty()) {
    description.partition = partition.data();
    description.flags |= RESERVE_FLAG_PART_NODES;
  }
  description.start_time = static_cast<time_t>(
      std::max(reserve.start_unix_s(), absl::ToUnixSeconds(absl::Now())));
  description.duration = reserve.minutes() == 0
                             ? INFINITE
                             : static_cast<uint32_t>(reserve.minutes());
  char* const created = slurm_create_reservation(&description);
  if (created == nullptr) return SlurmErrorResponse(SlurmErrno());
  free(created);
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace

Response ReserveNodesForMaintenance(const Request& request,
                                    const Account& account,
                                    const ImpersonatorConfig& config,
                                    ChildPipe* pipe) {
  const ReserveForMaintenance& reserve = request.reserve_for_maintenance();
  const absl::Status allowed = CheckMayMaintain(config.maintenance, account);
  if (!allowed.ok()) return ResponseFor(allowed);
  if (!pipe->AwaitCommit()) return NotCommitted();
  const Reservations all = LoadReservations();
  if (all == nullptr) return SlurmErrorResponse(SlurmErrno());
  // A repeated request, because a response was lost.
  if (const reserve_info_t* existing = Find(*all, reserve.name())) {
    if (IsOwner(*existing, account)) {
      return MakeResponse(OUTCOME_OK, "unchanged");
    }
    return ResponseFor(
        MakePlainError(operation_messages::kReservationOfAnother));
  }
  if (!pipe->Begin()) return NotCommitted();
  return CreateForMaintenance(reserve, account);
}

Response ReserveNodes(const Request& request, const Account& account,
                      const ImpersonatorConfig& config, ChildPipe* pipe) {
  const Reserve& reserve = request.reserve();
  const absl::Status owns = CheckOwner(config.reservations, reserve, account);
  if (!owns.ok()) return ResponseFor(owns);
  // Only after the commit, because the user's lock is held then: another of the
  // user's reservations could be created right now.
  if (!pipe->AwaitCommit()) return NotCommitted();
  const Reservations all = LoadReservations();
  if (all == nullptr) return SlurmErrorResponse(SlurmErrno());
  // A repeated request, because a response was lost, or a change of the users.
  // Names are random.
  if (const reserve_info_t* existing = Find(*all, reserve.name())) {
    if (IsOwner(*existing, account)) return SetUsers(*existing, reserve, pipe);
    return ResponseFor(
        MakePlainError(operation_messages::kReservationOfAnother));
  }
  // It was deleted after the backend had read it.
  if (reserve.users_only()) {
    return MakeResponse(OUTCOME_NOT_FOUND, "no such reservation");
  }
  const absl::Status allowed = CheckLimits(config.reservations, reserve);
  if (!allowed.ok()) return ResponseFor(allowed);
  const int count = CountOwned(*all, account);
  if (count >= config.reservations.max_per_user) {
    return ResponseFor(
        MakePlainError(operation_messages::kReserveTooMany,
                       {{"user", account.name},
                        {"count", count},
                        {"max", config.reservations.max_per_user}}));
  }
  if (!pipe->Begin()) return NotCommitted();
  return Create(reserve, config);
}

Response UnreserveNodes(const Request& request, const Account& account,
                        const ImpersonatorConfig& config, ChildPipe* pipe) {
  // Users may delete their reservations after they have left the group.
  if (!config.reservations.IsOffered() && !config.maintenance.IsOffered()) {
    return ResponseFor(CheckOffered(config.reservations, account));
  }
  std::string name = request.unreserve().name();
  const Reservations all = LoadReservations();
  if (all == nullptr) return SlurmErrorResponse(SlurmErrno());
  const reserve_info_t* const found = Find(*all, name);
  if (found == nullptr)
    return MakeResponse(OUTCOME_OK, "reservation has ended");
  if (!IsOwner(*found, account)) {
    return ResponseFor(
        MakePlainError(operation_messages::kUnreserveOfAnother,
                       {{"name", name}, {"user", account.name}}));
  }
  if (!pipe->Begin()) return NotCommitted();
  reservation_name_msg_t message{.name = name.data()};
  if (slurm_delete_reservation(&message) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace carme::impersonator
