#include "backend/reservations/reservation_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/policy/spec/limit_source.h"
#include "backend/reservations/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestTitle = 64;

template <typename Words>
bool Has(const Words& words, const typename Words::value_type& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Checks one request.
class Examination {
 public:
  explicit Examination(const ReservationInput& asked)
      : asked_(asked), config_(*asked.config), cluster_(*asked.cluster) {
    decision_.spec = asked.spec;
  }

  ReservationDecision Run() {
    CheckOffered();
    CheckProject();
    CheckTitle();
    CheckLimits();
    CheckTime();
    const size_t before = decision_.violations.size();
    ChoosePartition();
    CheckNodes();
    decision_.rests_on_resources = decision_.violations.size() > before;
    if (!cluster_.reachable) {
      Refuse({Refusal::kUnavailable, "", "slurm", "", ClusterLimitSource(),
              MakeText(reservation_messages::kSlurmUnavailable)});
    }
    return std::move(decision_);
  }

 private:
  ReservationSpec& spec() { return decision_.spec; }
  void Refuse(Violation violation) {
    decision_.violations.push_back(std::move(violation));
  }
  void CheckOffered() {
    if (config_.IsOffered()) return;
    Refuse({Refusal::kForbidden, "", "partitions", "",
            ConfigurationLimitSource(),
            MakeText(reservation_messages::kNotOffered)});
  }

  void CheckProject() {
    const bool by_role = Has(config_.roles, asked_.role);
    if (spec().project.empty()) {
      if (by_role) return;
      Refuse({Refusal::kForbidden, "project", "roles", "",
              ConfigurationLimitSource(),
              MakeText(reservation_messages::kProjectRequired)});
      return;
    }
    if (!asked_.is_member) {
      // The same message as for a project that does not exist.
      Refuse({Refusal::kMissing, "project", "membership", "",
              AnyProjectLimitSource(),
              MakeText(reservation_messages::kNoSuchProject)});
    } else if (!asked_.manages) {
      Refuse({Refusal::kForbidden, "project", "managers", "",
              AnyProjectLimitSource(),
              MakeText(reservation_messages::kProjectNotManaged)});
    } else if (!asked_.is_active) {
      Refuse({Refusal::kForbidden, "project", "state", "active",
              AnyProjectLimitSource(),
              MakeText(reservation_messages::kProjectNotActive)});
    } else if (!by_role && !config_.project_managers) {
      Refuse({Refusal::kForbidden, "project", "project_managers", "",
              ConfigurationLimitSource(),
              MakeText(reservation_messages::kManagersMayNot)});
    }
    if (asked_.users > kMaxReservationUsers) {
      Refuse({Refusal::kForbidden, "project", "users",
              absl::StrCat(kMaxReservationUsers), kCarmeLimitSource,
              MakeText(
                  reservation_messages::kTooManyMembers,
                  {{"members", asked_.users}, {"max", kMaxReservationUsers}})});
    }
  }

  void CheckTitle() {
    const std::optional<size_t> length = PrintableLength(spec().title);
    if (length && *length > 0 && *length <= kLongestTitle) return;
    Refuse({Refusal::kInvalid, "title", "title", absl::StrCat(kLongestTitle),
            kCarmeLimitSource,
            MakeText(reservation_messages::kInvalidTitle,
                     {{"max", kLongestTitle}})});
  }

  void CheckLimits() {
    if (spec().nodes > config_.max_nodes) {
      Refuse({Refusal::kForbidden, "nodes", "max_nodes",
              absl::StrCat(config_.max_nodes), ConfigurationLimitSource(),
              MakeText(reservation_messages::kTooManyNodes,
                       {{"nodes", spec().nodes}, {"max", config_.max_nodes}})});
    }
    const int64_t minutes = absl::ToInt64Minutes(spec().duration);
    if (minutes > config_.max_minutes) {
      Refuse({Refusal::kForbidden, "duration", "max_minutes",
              absl::StrCat(config_.max_minutes), ConfigurationLimitSource(),
              MakeText(reservation_messages::kTooLong,
                       {{"minutes", minutes}, {"max", config_.max_minutes}})});
    }
    CheckRoom(reservation_messages::kTooManyOfUser, asked_.reservations_now,
              "max_per_user", config_.max_per_user);
    if (spec().project.empty()) return;
    CheckRoom(reservation_messages::kTooManyOfProject,
              asked_.project_reservations_now, "max_per_project",
              config_.max_per_project);
  }

  void CheckRoom(const TextTemplate& refusal, int found, const char* key,
                 int max) {
    if (found < max) return;
    Refuse({Refusal::kExhausted, "", key, absl::StrCat(max),
            ConfigurationLimitSource(),
            MakeText(refusal, {{"reservations", found}, {"max", max}})});
  }

  void ChoosePartition() {
    const std::vector<SlurmPartition>& all = cluster_.partitions;
    if (spec().partition.empty()) {
      for (const SlurmPartition& partition : all) {
        if (partition.is_default) spec().partition = partition.name;
      }
      if (!Has(config_.partitions, spec().partition) && config_.IsOffered()) {
        spec().partition = config_.partitions[0];
      }
    }
    const bool exists =
        std::any_of(all.begin(), all.end(), [&](const SlurmPartition& row) {
          return row.name == spec().partition;
        });
    if (exists && Has(config_.partitions, spec().partition)) return;
    if (!config_.IsOffered()) return;
    Refuse(
        {Refusal::kForbidden, "partition", "partitions",
         absl::StrJoin(config_.partitions, ", "), ConfigurationLimitSource(),
         MakeText(reservation_messages::kUnknownPartition,
                  {{"partition", spec().partition},
                   {"partitions", absl::StrJoin(config_.partitions, ", ")}})});
  }

  void CheckTime() {
    const absl::Duration minute = absl::Minutes(1);
    if (spec().duration < minute ||
        spec().duration % minute != absl::ZeroDuration()) {
      Refuse({Refusal::kInvalid, "duration", "duration", "1 min",
              kCarmeLimitSource,
              MakeText(reservation_messages::kInvalidDuration)});
    }
    // A start "now" may be some minutes old when the request arrives.
    if (spec().starts_at < asked_.now - absl::Minutes(5)) {
      Refuse({Refusal::kInvalid, "startsAt", "start", "now", kCarmeLimitSource,
              MakeText(reservation_messages::kStartInThePast)});
    }
    const absl::Duration ahead = absl::Hours(24) * config_.max_days_ahead;
    if (spec().starts_at > asked_.now + ahead) {
      Refuse(
          {Refusal::kForbidden, "startsAt", "max_days_ahead",
           absl::StrCat(config_.max_days_ahead), ConfigurationLimitSource(),
           MakeText(reservation_messages::kStartTooLate,
                    {{"days",
                      absl::ToInt64Hours(spec().starts_at - asked_.now) / 24},
                     {"max", config_.max_days_ahead}})});
    }
  }

  void CheckNodes() {
    if (spec().nodes < 1) {
      Refuse({Refusal::kInvalid, "nodes", "nodes", "1", kCarmeLimitSource,
              MakeText(reservation_messages::kNoNodes,
                       {{"nodes", spec().nodes}})});
    }
    if (spec().partition.empty()) return;  // the nodes are unknown
    std::set<std::string> taken;
    for (const SlurmReservation& other : cluster_.reservations) {
      if (other.starts_at < EndOf(spec()) && other.ends_at > Begin()) {
        taken.insert(other.nodes.begin(), other.nodes.end());
      }
    }
    std::set<std::string> missing;
    for (const SlurmNode* node : NodesForJobs(cluster_, spec().partition)) {
      ++decision_.nodes;
      if (taken.contains(node->name)) {
        missing.insert(node->name);
      } else {
        ++decision_.free_nodes;
      }
    }
    NameConflicts(missing);
    if (spec().nodes <= decision_.free_nodes) return;
    Refuse({Refusal::kImpossible, "nodes", "nodes",
            absl::StrCat(decision_.free_nodes), ClusterLimitSource(),
            MakeText(reservation_messages::kTooFewFreeNodes,
                     {{"free", decision_.free_nodes},
                      {"nodes", decision_.nodes},
                      {"partition", spec().partition}})});
  }

  absl::Time Begin() { return std::max(spec().starts_at, asked_.now); }

  void NameConflicts(const std::set<std::string>& missing) {
    for (const SlurmReservation& other : cluster_.reservations) {
      if (other.starts_at >= EndOf(spec()) || other.ends_at <= Begin()) {
        continue;
      }
      const bool has_one = std::any_of(
          other.nodes.begin(), other.nodes.end(),
          [&](const std::string& node) { return missing.contains(node); });
      if (has_one) decision_.conflicts.push_back(other.name);
    }
  }

  const ReservationInput& asked_;
  const ReservationsConfig& config_;
  const SlurmSnapshot& cluster_;
  ReservationDecision decision_;
};

}  // namespace

ReservationDecision CheckReservation(const ReservationInput& question) {
  return Examination(question).Run();
}

bool MayReserveAtAll(const ReservationsConfig& config, Role role,
                     bool manages) {
  if (!config.IsOffered()) return false;
  return Has(config.roles, role) || (manages && config.project_managers);
}

}  // namespace carme::backend
