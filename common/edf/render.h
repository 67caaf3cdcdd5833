// The whole way from a name or a text to an environment. Pure but for the
// files it is given; no exception, no shell, nothing of the process's own.
#ifndef CARME_COMMON_EDF_RENDER_H_
#define CARME_COMMON_EDF_RENDER_H_

#include <optional>
#include <string>
#include <string_view>

#include "common/edf/edf.h"
#include "common/edf/problem.h"
#include "common/edf/search.h"

namespace carme {

struct EdfResult {
  std::optional<Edf> edf;  // there when there is no problem
  std::string path;        // of the file; empty when none was found
  EdfProblems problems;
  EdfProblems warnings;  // what has no effect here
};

// `name` as after `srun --environment=`.
EdfResult RenderEdf(std::string_view name, const EdfContext& context);

// The same for a text that is in no file, or in one that `label` names.
EdfResult RenderEdfText(std::string_view text, const std::string& label,
                        const EdfContext& context);

// What EdfToToml wrote: all is said, so nothing is looked up.
EdfResult ReadRenderedEdf(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_EDF_RENDER_H_
