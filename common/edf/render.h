// Renders an environment from a name or a text. Uses only its arguments: no
// shell, no state of the process. Throws no exceptions.
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
  std::optional<Edf> edf;  // set if there are no problems
  std::string path;        // of the file; empty: none was found
  EdfProblems problems;
  EdfProblems warnings;  // keys and values without effect
};

// `name` as after `srun --environment=`.
EdfResult RenderEdf(std::string_view name, const EdfContext& context);

// The same for a text; `label` is its file name in messages, or empty.
EdfResult RenderEdfText(std::string_view text, const std::string& label,
                        const EdfContext& context);

// For a text of EdfToToml, which is complete: reads no files.
EdfResult ReadRenderedEdf(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_EDF_RENDER_H_
