#include "backend/policy/policy.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/policy/checks/excluded_nodes.h"
#include "backend/policy/checks/notify.h"
#include "backend/policy/checks/staging.h"
#include "backend/policy/checks/start_time.h"
#include "backend/policy/checks/vetting.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/policy/cluster/driver_match.h"
#include "backend/policy/cluster/reservation.h"
#include "backend/policy/cluster/size.h"
#include "backend/policy/cluster/slurm_account.h"
#include "backend/policy/image_choice.h"
#include "backend/policy/limits/template_limits.h"
#include "backend/policy/messages.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/limit_source.h"
#include "backend/policy/spec/quoted.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestName = 64;
constexpr size_t kMaxExcludedNodes = 500;  // of the impersonator
constexpr size_t kLongestDescription = 200;
constexpr absl::Duration kDefaultWalltime = absl::Hours(1);
constexpr absl::Duration kLongestWalltime = absl::Hours(24 * 365);

std::string Minutes(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Minutes(duration), " min");
}

const char* NameOf(v1::PartitionState state) {
  switch (state) {
    case v1::PARTITION_STATE_DRAIN:
      return "drain";
    case v1::PARTITION_STATE_INACTIVE:
      return "inactive";
    default:
      return "down";
  }
}

DisplayText NotUp(const SlurmPartition& partition) {
  switch (partition.state) {
    case v1::PARTITION_STATE_DRAIN:
      return MakeText(policy_messages::kPartitionDrained,
                      {{"partition", partition.name}});
    case v1::PARTITION_STATE_INACTIVE:
      return MakeText(policy_messages::kPartitionInactive,
                      {{"partition", partition.name}});
    default:
      return MakeText(policy_messages::kPartitionDown,
                      {{"partition", partition.name}});
  }
}

// Evaluates the policy input; each step adds its violations.
class PolicyCheck {
 public:
  explicit PolicyCheck(const PolicyInput& input)
      : input_(input), cluster_(*input.cluster) {
    decision_.spec = input.spec;
  }

  Decision Run() {
    CheckNumbers();
    if (!spec().linked_to.empty()) Join();
    GoByTemplate();
    if (spec().linked_to.empty() && spec().builds.empty()) {
      RefuseAll(ChooseWhatRuns(input_, template_, &spec(), &image_));
    }
    if (image_ != nullptr) {
      RefuseAll(CheckSharing(*image_, input_.uid, spec()));
    }
    CheckProject();
    ChooseName();
    CheckText("description", spec().description, kLongestDescription);
    RefuseAll(CheckStage(spec()));
    RefuseAll(CheckNotify(spec()));
    if (spec().batch) CheckBatchJob();
    RefuseAll(ChooseStartTime(input_.now, &spec()));
    if (numbers_make_sense_) RefuseAll(ChooseRequiredNodes(&spec()));
    RefuseAll(CheckExcludedNodes(spec()));
    const size_t before = decision_.violations.size();
    if (cluster_.asked_at != absl::InfinitePast()) {  // Slurm has responded
      RefuseAll(ChooseReservedPartition(input_.reservation, &spec()));
      ChoosePartition();
      ChooseWalltime();
      CheckGpuType();
      RefuseAll(CheckExcludedNodesExist(spec(), cluster_));
      if (numbers_make_sense_) ChooseShareAndCheckSize();
    }
    decision_.rests_on_resources = decision_.violations.size() > before;
    if (joins_ && numbers_make_sense_) {
      RefuseAll(CheckLeft(*input_.joined, spec()));
    }
    if (numbers_make_sense_) {
      RefuseAll(CheckQuotas(Quotas(), Use()));
    }
    if (numbers_make_sense_ && choice_ != nullptr) {
      RefuseAll(CheckTemplate(*choice_, spec(), NodesJoined()));
    }
    if (!cluster_.reachable) {
      Refuse({Refusal::kUnavailable, "", "slurm", "", ClusterLimitSource(),
              MakeText(policy_messages::kSlurmUnavailable)});
    }
    decision_.account = input_.account;
    if (template_ != nullptr && !template_->account.empty()) {
      decision_.account = template_->account;
    }
    CheckAccount();
    return std::move(decision_);
  }

 private:
  JobSpec& spec() { return decision_.spec; }
  void Refuse(Violation violation) {
    decision_.violations.push_back(std::move(violation));
  }
  void RefuseAll(std::vector<Violation> violations) {
    for (Violation& violation : violations) Refuse(std::move(violation));
  }

  void CheckNumber(const char* field, int64_t found) {
    if (found >= 0) return;
    numbers_make_sense_ = false;
    Refuse({Refusal::kInvalid, field, "least", "0", kCarmeLimitSource,
            MakeText(policy_messages::kNumberNegative,
                     {{"field", field}, {"found", found}})});
  }

  void CheckNumbers() {
    CheckNumber("nodes", spec().nodes);
    CheckNumber("gpusPerNode", spec().gpus_per_node);
    CheckNumber("cpusPerNode", spec().cpus_per_node);
    CheckNumber("memoryPerNodeMib", spec().memory_per_node_mib);
    if (spec().nodes == 0) spec().nodes = 1;
    const absl::Duration walltime = spec().walltime;
    DisplayText wrong;
    if (walltime < absl::ZeroDuration()) {
      wrong = MakeText(policy_messages::kWalltimeNegative);
    } else if (walltime > kLongestWalltime) {
      wrong = MakeText(policy_messages::kWalltimeTooLong);
    } else if (walltime % absl::Minutes(1) != absl::ZeroDuration()) {
      wrong = MakeText(policy_messages::kWalltimeNotWholeMinutes,
                       {{"walltime", absl::FormatDuration(walltime)}});
    }
    if (wrong.empty()) return;
    numbers_make_sense_ = false;
    Refuse({Refusal::kInvalid, "walltime", "walltime",
            Minutes(kLongestWalltime), kCarmeLimitSource, wrong});
  }

  // The image or environment is that of the other job, and the user may still
  // use it.
  void Join() {
    RefuseAll(JoinOther(input_.joined, &spec()));
    joins_ = input_.joined.has_value();
    if (!joins_ || spec().image.empty()) return;
    for (const Image& image : *input_.images) {
      if (image.id == spec().image) image_ = &image;
    }
    if (image_ != nullptr) return;
    Refuse({Refusal::kImpossible, "linkedTo", "images", spec().image,
            ConfigurationLimitSource(),
            MakeText(policy_messages::kJoinedImageNotOffered,
                     {{"image", spec().image}})});
  }

  int NodesJoined() const {
    return joins_ ? static_cast<int>(input_.joined->nodes.size()) : 0;
  }

  // Users without access to the project must not learn its templates.
  void GoByTemplate() {
    RefuseAll(CheckQos(spec()));
    if (!input_.project.ok()) return;
    RefuseAll(ChooseTemplate(input_.templates, spec(), input_.environment_image,
                             NodesJoined(), &choice_));
    if (choice_ == nullptr) return;
    template_ = &choice_->job_template;
    ApplyDefaults(*template_, &spec());
  }

  void CheckBatchJob() {
    RefuseAll(CheckBatch(spec(), input_.resolved,
                         {.max_tasks = input_.max_array_tasks,
                          .slurm_max_size = cluster_.max_array_size}));
    decision_.dependencies = DependenciesOf(*spec().batch, input_.resolved);
  }

  void CheckProject() {
    if (spec().project.empty() || input_.project.ok()) return;
    const bool refused = absl::IsNotFound(input_.project) ||
                         absl::IsFailedPrecondition(input_.project);
    Refuse({refused ? Refusal::kForbidden : Refusal::kUnavailable, "project",
            "membership", "", AnyProjectLimitSource(),
            refused ? TextOfStatus(input_.project)
                    : MakeText(policy_messages::kProjectsUnavailable)});
  }

  void CheckAccount() {
    if (cluster_.asked_at == absl::InfinitePast()) return;
    const bool by_template =
        template_ != nullptr && !template_->account.empty();
    std::vector<Violation> violations =
        CheckSlurmAccount(cluster_,
                          {.username = input_.username,
                           .uid = input_.uid,
                           .account = decision_.account,
                           .field = by_template                  ? "template"
                                    : !decision_.account.empty() ? "project"
                                                                 : ""},
                          spec());
    decision_.rests_on_accounting = !violations.empty();
    RefuseAll(std::move(violations));
  }

  void ChooseName() {
    if (spec().name.empty()) {
      spec().name = spec().batch ? "batch" : spec().app;
    }
    CheckText("name", spec().name, kLongestName);
  }

  void CheckText(const char* field, const std::string& text, size_t max) {
    const std::optional<size_t> length = PrintableLength(text);
    DisplayText wrong;
    if (!length) {
      wrong = MakeText(policy_messages::kTextNotPrintable,
                       {{"field", field}, {"max", max}});
    } else if (*length > max) {
      wrong = MakeText(policy_messages::kTextTooLong,
                       {{"field", field}, {"length", *length}, {"max", max}});
    }
    if (wrong.empty()) return;
    Refuse({Refusal::kInvalid, field, field, absl::StrCat(max),
            kCarmeLimitSource, std::move(wrong)});
  }

  void ChoosePartition() {
    std::vector<std::string> names;
    for (const SlurmPartition& candidate : cluster_.partitions) {
      names.push_back(candidate.name);
      const bool wanted = spec().partition.empty()
                              ? candidate.is_default
                              : candidate.name == spec().partition;
      if (wanted && partition_ == nullptr) partition_ = &candidate;
    }
    if (partition_ == nullptr && spec().partition.empty() &&
        names.size() == 1) {
      partition_ = &cluster_.partitions[0];
    }
    const std::string known = QuotedList(names);
    if (partition_ == nullptr) {
      const bool chosen = !spec().partition.empty();
      Refuse({chosen ? Refusal::kImpossible : Refusal::kInvalid, "partition",
              "partitions", known, ClusterLimitSource(),
              chosen ? MakeText(
                           policy_messages::kPartitionUnknown,
                           {{"partition", spec().partition}, {"known", known}})
                     : MakeText(policy_messages::kPartitionRequired,
                                {{"known", known}})});
      return;
    }
    spec().partition = partition_->name;
    if (partition_->up) return;
    Refuse({Refusal::kImpossible, "partition", "state",
            NameOf(partition_->state), PartitionLimitSource(spec().partition),
            NotUp(*partition_)});
  }

  void ChooseWalltime() {
    const std::optional<absl::Duration> longest =
        partition_ != nullptr ? partition_->max_walltime : std::nullopt;
    if (spec().walltime == absl::ZeroDuration()) {
      absl::Duration chosen = kDefaultWalltime;
      if (joins_) chosen = input_.joined->left.value_or(chosen);
      if (longest) chosen = std::min(chosen, *longest);
      for (const QuotaRule& rule : Quotas().rules) {
        if (rule.metric != v1::LIMIT_METRIC_WALLTIME || !rule.max) continue;
        chosen = std::min(chosen, absl::Minutes(*rule.max));
      }
      if (template_ != nullptr &&
          template_->max_walltime > absl::ZeroDuration()) {
        chosen = std::min(chosen, template_->max_walltime);
      }
      if (input_.reservation) {
        chosen = std::min(chosen, ReservedTime(*input_.reservation, spec(),
                                               cluster_.asked_at));
      }
      spec().walltime =
          std::max(absl::Minutes(1), absl::Floor(chosen, absl::Minutes(1)));
    }
    if (numbers_make_sense_ && input_.reservation) {
      RefuseAll(
          CheckReservedTime(*input_.reservation, spec(), cluster_.asked_at));
    }
    if (!numbers_make_sense_ || !longest || spec().walltime <= *longest) return;
    Refuse({Refusal::kForbidden, "walltime", "max_walltime", Minutes(*longest),
            PartitionLimitSource(spec().partition),
            MakeText(policy_messages::kWalltimeAbovePartition,
                     {{"walltime", Minutes(spec().walltime)},
                      {"partition", partition_->name},
                      {"max", Minutes(*longest)}})});
  }

  void CheckGpuType() {
    if (spec().gpu_type.empty()) return;
    if (spec().gpus_per_node == 0) {
      Refuse({Refusal::kInvalid, "gpuType", "gpusPerNode", "1",
              kCarmeLimitSource,
              MakeText(policy_messages::kGpuTypeWithoutGpus,
                       {{"type", spec().gpu_type}})});
    }
    const std::set<std::string> types = GpuTypesOf(NodesForJobs(cluster_, ""));
    if (types.contains(spec().gpu_type)) return;
    gpu_type_exists_ = false;
    const std::string known = QuotedList(types);
    Refuse({Refusal::kImpossible, "gpuType", "gpu_types", known,
            ClusterLimitSource(),
            MakeText(policy_messages::kGpuTypeUnknown,
                     {{"type", spec().gpu_type}, {"known", known}})});
  }

  void ChooseShareAndCheckSize() {
    if (partition_ == nullptr || !gpu_type_exists_) return;
    auto nodes = NodesForJobs(cluster_, partition_->name);
    if (nodes.empty()) {
      Refuse({Refusal::kImpossible, "partition", "nodes", "0",
              PartitionLimitSource(spec().partition),
              MakeText(policy_messages::kPartitionWithoutNodes,
                       {{"partition", partition_->name}})});
      return;
    }
    if (input_.reservation) {
      RemoveUnreservedNodes(*input_.reservation, &nodes);
      if (nodes.empty()) {
        Refuse({Refusal::kImpossible, "reservation", "nodes", "0",
                ReservationLimitSource(input_.reservation->name),
                MakeText(policy_messages::kReservationWithoutNodes,
                         {{"reservation", input_.reservation->name},
                          {"partition", partition_->name}})});
        return;
      }
    }
    std::vector<std::string>& excluded = decision_.excluded_nodes;
    excluded = spec().excluded_nodes;
    RemoveExcludedNodes(spec(), &nodes);
    if (nodes.empty()) {
      Refuse({Refusal::kImpossible, "excludedNodes", "nodes", "0",
              PartitionLimitSource(spec().partition),
              MakeText(policy_messages::kAllNodesExcluded,
                       {{"partition", partition_->name}})});
      return;
    }
    if (joins_) {
      const std::vector<std::string> taken =
          RemoveJoinedNodes(*input_.joined, &nodes);
      excluded.insert(excluded.end(), taken.begin(), taken.end());
      if (nodes.empty()) {
        Refuse({Refusal::kImpossible, "partition", "nodes", "0",
                PartitionLimitSource(spec().partition),
                MakeText(policy_messages::kPartitionWithoutOtherNodes,
                         {{"partition", partition_->name}})});
        return;
      }
    }
    if (image_ != nullptr) {
      DriverMatch match = MatchDriver(spec(), *image_, nodes);
      for (Violation& violation : match.violations) {
        if (!spec().environment.empty()) violation.field = "environment";
        Refuse(std::move(violation));
      }
      // Also reports a job that is too large for any node.
      if (match.violations.empty() && !match.nodes.empty()) {
        nodes = std::move(match.nodes);
        excluded.insert(excluded.end(), match.excluded.begin(),
                        match.excluded.end());
      }
    }
    Share share = ShareOf(spec(), nodes);
    if (template_ != nullptr) NarrowShare(*template_, spec(), &share);
    if (spec().cpus_per_node == 0) spec().cpus_per_node = share.cpus;
    if (spec().memory_per_node_mib == 0) {
      spec().memory_per_node_mib = share.memory_mib;
    }
    std::sort(excluded.begin(), excluded.end());
    if (excluded.size() > kMaxExcludedNodes &&
        spec().excluded_nodes.size() <= kMaxExcludedNodesOfSpec) {
      Refuse(
          {Refusal::kImpossible,
           spec().excluded_nodes.empty() ? "partition" : "excludedNodes",
           "excluded_nodes", absl::StrCat(kMaxExcludedNodes), kCarmeLimitSource,
           MakeText(policy_messages::kTooManyNodesNotUsable,
                    {{"found", excluded.size()}, {"max", kMaxExcludedNodes}})});
    }
    for (Violation& violation : CheckSize(spec(), nodes)) {
      DisplayText& message = violation.message;
      if (joins_) {
        message =
            MakeText(policy_messages::kBesideJoinedJob, {{"problem", message}});
      }
      if (input_.reservation) {
        message =
            MakeText(policy_messages::kInReservation, {{"problem", message}});
      }
      Refuse(std::move(violation));
    }
    AvoidNodes(nodes);
  }

  // Excludes the avoided ones of `nodes`, unless too few would be left that can
  // run jobs now.
  void AvoidNodes(const std::vector<const SlurmNode*>& nodes) {
    std::vector<const SlurmNode*> others;
    std::vector<std::string> avoided;
    for (const SlurmNode* node : nodes) {
      if (input_.avoided_nodes.contains(node->name)) {
        avoided.push_back(node->name);
      } else if (node->up) {
        others.push_back(node);
      }
    }
    std::vector<std::string>& excluded = decision_.excluded_nodes;
    if (avoided.empty() || others.empty() ||
        excluded.size() + avoided.size() > kMaxExcludedNodes ||
        !CheckSize(spec(), others).empty()) {
      return;
    }
    excluded.insert(excluded.end(), avoided.begin(), avoided.end());
    std::sort(excluded.begin(), excluded.end());
  }

  JobUse Use() {
    JobUse use = UseOf(spec());
    if (joins_) use.gpus_joined = input_.joined->gpus;
    use.nodes_joined = NodesJoined();
    return use;
  }

  QuotaTerms Quotas() const {
    if (input_.quotas) return *input_.quotas;
    QuotaTerms terms;
    terms.rules = RulesOf(input_.limits, input_.role);
    terms.person.jobs = input_.jobs_now;
    return terms;
  }

  const PolicyInput& input_;
  const SlurmSnapshot& cluster_;
  Decision decision_;
  const SlurmPartition* partition_ = nullptr;
  const Image* image_ = nullptr;
  const TemplateChoice* choice_ = nullptr;
  const JobTemplate* template_ = nullptr;  // of that choice
  bool joins_ = false;                     // another job of the user
  bool numbers_make_sense_ = true;
  bool gpu_type_exists_ = true;
};

}  // namespace

Decision Check(const PolicyInput& input) { return PolicyCheck(input).Run(); }

}  // namespace carme::backend
