// The configuration of `carme vet`: vetnode's YAML, with more evaluations.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_VET_CONFIG_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_VET_CONFIG_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/config/catalogue.h"

namespace carme::vet {

inline constexpr size_t kMaxEvaluations = 200;

using Texts = std::vector<std::string>;
// nullopt: any value.
using Variables = std::map<std::string, std::optional<std::string>>;

// The values of an evaluation's parameters, in bytes, seconds and bytes a
// second. The getters require the kind that the catalogue declares.
class Parameters {
 public:
  using Value = std::variant<std::string, double, bool, Texts, Variables>;

  void Set(std::string_view key, Value value) {
    values_.insert_or_assign(std::string(key), std::move(value));
  }
  std::optional<double> Number(std::string_view key) const;
  std::string Text(std::string_view key, std::string_view otherwise = "") const;
  bool Bool(std::string_view key, bool otherwise) const;
  Texts List(std::string_view key) const;
  Variables Map(std::string_view key) const;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

struct Evaluation {
  std::string name;
  const EvaluationType* type = nullptr;  // of the catalogue
  // If it cannot run, the node stays healthy.
  bool is_optional = false;
  absl::Duration timeout;
  Parameters parameters;
};

// Of an evaluation of Place::kNode: what its topology says.
bool IsMeasuredWithinNode(const Evaluation& evaluation);
bool IsMeasuredBetweenNodes(const Evaluation& evaluation);

struct VetConfig {
  std::string name;
  std::vector<Evaluation> evaluations;
  std::vector<std::string> notes;  // what is ignored, with file and line
};

// `default_timeout`: of evaluations that set none; nullopt: that of their type.
// INVALID_ARGUMENT: the first error, as "PATH:LINE: problem".
absl::StatusOr<VetConfig> ParseVetConfig(
    std::string_view text, const std::string& path,
    std::optional<absl::Duration> default_timeout = std::nullopt);

// What is checked if a site has no configuration.
std::string_view DefaultVetConfig();

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CONFIG_VET_CONFIG_H_
