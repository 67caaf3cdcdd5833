// The content of one file before expansion, each text with its position.
#ifndef CARME_COMMON_EDF_LAYER_H_
#define CARME_COMMON_EDF_LAYER_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/edf/problem.h"

namespace carme {

struct EdfLayer {
  std::vector<EdfText> bases;
  std::optional<EdfText> image;
  std::optional<EdfText> workdir;
  std::optional<bool> writable;
  std::optional<bool> entrypoint;
  std::vector<EdfText> mounts;
  std::vector<EdfText> devices;
  std::map<std::string, EdfText> env;
  std::map<std::string, EdfText> annotations;  // keys are flat
};

// Parses `text`, the content of `file`. nullopt, with problems: 3 malformed
// TOML (the first error), 4 violations of the schema (all), 100 limits. Unknown
// keys are warnings.
std::optional<EdfLayer> ReadEdfLayer(std::string_view text,
                                     const std::string& file,
                                     EdfProblems* problems,
                                     EdfProblems* warnings);

// Merges `own` over `base`: its scalars override, its lists are appended, and
// its tables override key by key. The result has no bases.
EdfLayer MergeEdfLayers(EdfLayer base, EdfLayer own);

}  // namespace carme

#endif  // CARME_COMMON_EDF_LAYER_H_
