// An environment with all that it inherits, as one layer.
#ifndef CARME_COMMON_EDF_INHERITANCE_H_
#define CARME_COMMON_EDF_INHERITANCE_H_

#include <optional>
#include <string>
#include <vector>

#include "common/edf/layer.h"
#include "common/edf/search.h"

namespace carme {

class EdfInheritance {
 public:
  // All outlive it.
  EdfInheritance(const EdfContext& context, EdfProblems* problems,
                 EdfProblems* warnings)
      : context_(context), problems_(problems), warnings_(warnings) {}

  // The file at `path`, which FindEdf found for `name`, over its bases in
  // their order. Nothing, and problems: those of the layers and of the search,
  // 2 a file that cannot be read, 5 a base that comes back to itself or is
  // deeper than kMostEdfLevels, 100 more than kMostEdfFiles files.
  std::optional<EdfLayer> Load(const std::string& path, const EdfText& name);

  // The same for a text that `label` names.
  std::optional<EdfLayer> LoadText(std::string_view text,
                                   const std::string& label);

 private:
  std::optional<EdfLayer> LoadBase(const EdfText& name);
  bool MayLoad(const std::string& path, const EdfText& name);

  const EdfContext& context_;
  EdfProblems* const problems_;
  EdfProblems* const warnings_;
  std::vector<std::string> open_;  // from the first file down to this one
  int files_ = 0;
};

}  // namespace carme

#endif  // CARME_COMMON_EDF_INHERITANCE_H_
