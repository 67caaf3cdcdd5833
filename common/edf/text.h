// The canonical text of an environment, in two formats.
#ifndef CARME_COMMON_EDF_TEXT_H_
#define CARME_COMMON_EDF_TEXT_H_

#include <string>

#include "common/edf/edf.h"

namespace carme {

// A string as a value of TOML, which is also one of JSON.
std::string TomlString(const std::string& text);

// An equivalent EDF without bases and variables; a "$" in a value is written as
// "$$". Equal environments have equal texts.
std::string EdfToToml(const Edf& edf);

// The same keys as a JSON object, for programs, with unescaped values.
std::string EdfToJson(const Edf& edf);

}  // namespace carme

#endif  // CARME_COMMON_EDF_TEXT_H_
