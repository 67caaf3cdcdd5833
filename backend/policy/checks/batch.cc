#include "backend/policy/checks/batch.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestCommand = 16384;
constexpr size_t kMaxPathBytes = 1024;
constexpr size_t kMaxArguments = 64;
constexpr size_t kMaxArgumentBytes = 4096;
constexpr size_t kMaxDependencies = 32;

bool IsPath(std::string_view path) {
  return !path.empty() && path.size() <= kMaxPathBytes && IsUtf8(path) &&
         PrintableLength(path).has_value();
}

bool LeadsFromRootOrHome(std::string_view path) {
  return path.starts_with("/") || path.starts_with("~/");
}

bool HasZero(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

// Collects the violations of one spec.
class Examination {
 public:
  Examination(const JobSpec& spec,
              const std::vector<ResolvedDependency>& resolved,
              const ArrayBounds& bounds)
      : spec_(spec), batch_(*spec.batch), awaited_(resolved), bounds_(bounds) {}

  std::vector<Violation> Run() {
    CheckBesides();
    CheckProgram();
    CheckArguments();
    CheckDirectory();
    const bool is_array = CheckArray();
    CheckFile("batch.output", batch_.output, is_array);
    CheckFile("batch.error", batch_.error, is_array);
    CheckDependencies();
    return std::move(violations_);
  }

 private:
  void Refuse(const char* field, const char* limit, std::string value,
              DisplayText message, Refusal refusal = Refusal::kInvalid,
              const DisplayText& source = kCarmeLimitSource) {
    violations_.push_back(
        {refusal, field, limit, std::move(value), source, std::move(message)});
  }

  void Forbid(const char* field, bool given) {
    if (!given) return;
    Refuse(
        field, "batch", "",
        MakeText(policy_check_messages::kFieldOfBatchJob, {{"field", field}}));
  }

  void CheckBesides() {
    Forbid("app", !spec_.app.empty());
    Forbid("builds", !spec_.builds.empty());
    Forbid("linkedTo", !spec_.linked_to.empty());
    // All tasks would write the same results.
    if (batch_.array.empty() || spec_.stage_out.empty()) return;
    Refuse("stageOut", "batch", "",
           MakeText(policy_check_messages::kArrayWithResults));
  }

  void CheckProgram() {
    if (batch_.command.empty() == batch_.script.empty()) {
      return Refuse("batch.command", "batch", "",
                    batch_.command.empty()
                        ? MakeText(policy_check_messages::kCommandRequired)
                        : MakeText(policy_check_messages::kCommandAndScript));
    }
    if (batch_.command.size() > kLongestCommand || HasZero(batch_.command)) {
      Refuse("batch.command", "bytes", absl::StrCat(kLongestCommand),
             MakeText(
                 policy_check_messages::kCommandTooLong,
                 {{"bytes", batch_.command.size()}, {"max", kLongestCommand}}));
    }
    if (!batch_.script.empty() &&
        (!IsPath(batch_.script) || !LeadsFromRootOrHome(batch_.script))) {
      Refuse("batch.script", "path", "",
             MakeText(policy_check_messages::kScriptPathInvalid));
    }
  }

  void CheckArguments() {
    if (batch_.arguments.empty()) return;
    if (batch_.script.empty()) {
      Refuse("batch.arguments", "batch", "",
             MakeText(policy_check_messages::kArgumentsWithoutScript));
    }
    size_t bytes = 0;
    bool has_zero = false;
    for (const std::string& argument : batch_.arguments) {
      bytes += argument.size();
      has_zero = has_zero || HasZero(argument);
    }
    if (batch_.arguments.size() <= kMaxArguments &&
        bytes <= kMaxArgumentBytes && !has_zero) {
      return;
    }
    Refuse("batch.arguments", "arguments", absl::StrCat(kMaxArguments),
           MakeText(policy_check_messages::kTooManyArguments,
                    {{"arguments", batch_.arguments.size()},
                     {"bytes", bytes},
                     {"max", kMaxArguments},
                     {"max_bytes", kMaxArgumentBytes}}));
  }

  void CheckDirectory() {
    const std::string& directory = batch_.working_directory;
    if (directory.empty() || directory == "~" ||
        (IsPath(directory) && LeadsFromRootOrHome(directory))) {
      return;
    }
    Refuse("batch.workingDirectory", "path", "",
           MakeText(policy_check_messages::kWorkingDirectoryInvalid));
  }

  bool CheckArray() {
    if (batch_.array.empty()) return false;
    const absl::StatusOr<ArrayShape> shape = ParseArray(batch_.array);
    if (!shape.ok()) {
      Refuse("batch.array", "array", "",
             MakeText(policy_check_messages::kArrayInvalid,
                      {{"array", Readable(batch_.array, 64)},
                       {"problem", TextOfStatus(shape.status())}}));
      return true;
    }
    const int64_t count = shape->tasks.size();
    if (bounds_.max_tasks > 0 && count > bounds_.max_tasks) {
      Refuse("batch.array", "max_array_tasks", absl::StrCat(bounds_.max_tasks),
             MakeText(policy_check_messages::kArrayTooLarge,
                      {{"tasks", count}, {"max", bounds_.max_tasks}}),
             Refusal::kForbidden, ConfigurationLimitSource());
    }
    const int64_t last = shape->tasks.ranges().back().last;
    if (bounds_.slurm_max_size > 0 && last >= bounds_.slurm_max_size) {
      Refuse("batch.array", "MaxArraySize",
             absl::StrCat(bounds_.slurm_max_size),
             MakeText(policy_check_messages::kArrayIndexTooLarge,
                      {{"index", last}, {"max", bounds_.slurm_max_size}}),
             Refusal::kForbidden, ClusterLimitSource());
    }
    return true;
  }

  void CheckFile(const char* field, const std::string& path, bool is_array) {
    if (path.empty()) return;
    const bool is_home = path == "~" || path == "~/" || path.ends_with("/");
    if (!IsPath(path) || is_home) {
      return Refuse(field, "path", "",
                    MakeText(policy_check_messages::kFilePathInvalid,
                             {{"field", field}, {"max", kMaxPathBytes}}));
    }
    bool differs = false;
    for (size_t i = 0; i < path.size(); ++i) {
      if (path[i] != '%') continue;
      const char word = i + 1 < path.size() ? path[i + 1] : '\0';
      ++i;
      const bool known = word == 'j' || word == 'A' || word == '%' ||
                         (word == 'a' && is_array);
      if (!known) {
        return Refuse(field, "words", "%j, %A, %a, %%",
                      MakeText(policy_check_messages::kPlaceholderUnknown,
                               {{"field", field}}));
      }
      differs = differs || word == 'j' || word == 'a';
    }
    if (!is_array || differs) return;
    Refuse(field, "words", "%a",
           MakeText(policy_check_messages::kFileSharedByTasks,
                    {{"field", field}}));
  }

  void CheckDependencies() {
    if (batch_.dependencies.size() > kMaxDependencies) {
      return Refuse("batch.dependencies", "dependencies",
                    absl::StrCat(kMaxDependencies),
                    MakeText(policy_check_messages::kTooManyDependencies,
                             {{"found", batch_.dependencies.size()},
                              {"max", kMaxDependencies}}));
    }
    for (size_t i = 0; i < batch_.dependencies.size(); ++i) {
      const JobDependency& dependency = batch_.dependencies[i];
      const int kind = static_cast<int>(dependency.kind);
      if (kind < 1 || kind > static_cast<int>(v1::DEPENDENCY_KIND_AFTER)) {
        Refuse("batch.dependencies", "kind", "",
               MakeText(policy_check_messages::kDependencyKindInvalid));
      }
      const ResolvedDependency job =
          i < awaited_.size() ? awaited_[i] : ResolvedDependency();
      if (!job.slurm_job) {
        Refuse("batch.dependencies", "jobs", "",
               MakeText(policy_check_messages::kDependencyUnknown,
                        {{"job", Readable(dependency.job, 32)}}),
               Refusal::kMissing);
      } else if (*job.slurm_job == SlurmJobId()) {
        Refuse("batch.dependencies", "jobs", "",
               MakeText(policy_check_messages::kDependencyNotAccepted,
                        {{"job", dependency.job}}),
               Refusal::kUnavailable);
      }
    }
  }

  const JobSpec& spec_;
  const BatchSpec& batch_;
  const std::vector<ResolvedDependency>& awaited_;
  const ArrayBounds& bounds_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> CheckBatch(
    const JobSpec& spec, const std::vector<ResolvedDependency>& resolved,
    const ArrayBounds& bounds) {
  return Examination(spec, resolved, bounds).Run();
}

std::vector<std::pair<SlurmJobId, int>> DependenciesOf(
    const BatchSpec& batch, const std::vector<ResolvedDependency>& resolved) {
  std::vector<std::pair<SlurmJobId, int>> found;
  for (size_t i = 0; i < batch.dependencies.size(); ++i) {
    if (i >= resolved.size() || !resolved[i].slurm_job) continue;
    found.emplace_back(*resolved[i].slurm_job,
                       static_cast<int>(batch.dependencies[i].kind));
  }
  return found;
}

}  // namespace carme::backend
