// What one file says, not yet expanded, each text with its place.
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

// Reads `text`, which came from `file`. Nothing, and problems: 3 broken TOML
// (the first fault), 4 against the schema (all of them), 100 limits. Keys that
// no environment has are warnings.
std::optional<EdfLayer> ReadEdfLayer(std::string_view text,
                                     const std::string& file,
                                     EdfProblems* problems,
                                     EdfProblems* warnings);

// `own` over `base`, which it names: its scalars win, its lists follow, its
// tables win key by key. The bases of both are gone.
EdfLayer MergeEdfLayers(EdfLayer base, EdfLayer own);

}  // namespace carme

#endif  // CARME_COMMON_EDF_LAYER_H_
