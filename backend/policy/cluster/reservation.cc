#include "backend/policy/cluster/reservation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/policy/cluster/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string Minutes(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Minutes(duration), " min");
}

}  // namespace

bool MayUse(const SlurmReservation& reservation, const std::string& username) {
  if (reservation.for_maintenance) return false;
  const std::vector<std::string>& users = reservation.users;
  if (Has(users, username)) return true;
  if (Has(users, "-" + username)) return false;
  // A list of denied users admits all other users.
  const bool denies = std::any_of(
      users.begin(), users.end(),
      [](const std::string& user) { return user.starts_with('-'); });
  if (denies) return true;
  return users.empty() &&
         !(reservation.accounts.empty() && reservation.groups.empty());
}

std::optional<SlurmReservation> UsableReservation(const SlurmSnapshot& cluster,
                                                  const std::string& name,
                                                  const std::string& username) {
  if (name.empty()) return std::nullopt;
  for (const SlurmReservation& reservation : cluster.reservations) {
    if (reservation.name != name) continue;
    if (!MayUse(reservation, username)) return std::nullopt;
    return reservation;
  }
  return std::nullopt;
}

std::vector<Violation> ChooseReservedPartition(
    const std::optional<SlurmReservation>& found, JobSpec* spec) {
  if (spec->reservation.empty()) return {};
  if (found) {
    if (spec->partition.empty()) spec->partition = found->partition;
    return {};
  }
  // The message must not reveal whether the reservation exists.
  return {{Refusal::kImpossible, "reservation", "reservations", "",
           ClusterLimitSource(),
           MakeText(policy_cluster_messages::kReservationNotAvailable,
                    {{"reservation", spec->reservation}})}};
}

absl::Duration ReservedTime(const SlurmReservation& reservation,
                            const JobSpec& spec, absl::Time now) {
  const absl::Time begins =
      std::max({now, reservation.starts_at, spec.start_at.value_or(now)});
  return reservation.ends_at - begins;
}

std::vector<Violation> CheckReservedTime(const SlurmReservation& reservation,
                                         const JobSpec& spec, absl::Time now) {
  const absl::Duration left = ReservedTime(reservation, spec, now);
  if (spec.walltime <= left) return {};
  const DisplayText source = ReservationLimitSource(reservation.name);
  if (left < absl::Minutes(1)) {
    return {{Refusal::kImpossible, "reservation", "end", "0 min", source,
             MakeText(policy_cluster_messages::kReservationEndsTooSoon,
                      {{"reservation", reservation.name}})}};
  }
  return {{Refusal::kForbidden, "walltime", "end", Minutes(left), source,
           MakeText(policy_cluster_messages::kWalltimeAboveReservation,
                    {{"walltime", Minutes(spec.walltime)},
                     {"reservation", reservation.name},
                     {"left", Minutes(left)}})}};
}

void RemoveUnreservedNodes(const SlurmReservation& reservation,
                           std::vector<const SlurmNode*>* nodes) {
  // Without a list the job may use any node: a reservation of licences alone
  // has no nodes.
  if (reservation.nodes.empty()) return;
  std::erase_if(*nodes, [&](const SlurmNode* node) {
    return !Has(reservation.nodes, node->name);
  });
}

}  // namespace carme::backend
