#include "backend/projects/projects_config.h"

#include <algorithm>
#include <optional>
#include <set>

#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxClassifications = 16;
constexpr size_t kLongestClassification = 32;

bool IsClassification(const std::string& word) {
  const std::optional<size_t> length = PrintableLength(word);
  return length && *length > 0 && *length <= kLongestClassification;
}

}  // namespace

void ReadProjectsConfig(ConfigTable root, ProjectsConfig* config) {
  ConfigTable table = root.Table("projects");
  table.Read("require_admin_approval", &config->require_admin_approval);
  table.Read("classifications", &config->classifications);
  const std::vector<std::string>& words = config->classifications;
  const std::set<std::string> different(words.begin(), words.end());
  if (words.empty() || words.size() > kMaxClassifications ||
      different.size() != words.size() ||
      !std::all_of(words.begin(), words.end(), IsClassification)) {
    table.Refuse("classifications",
                 "expected 1 to 16 different names of at most 32 characters");
  }
}

}  // namespace carme::backend
