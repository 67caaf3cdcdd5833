// The one text of an environment, in two forms.
#ifndef CARME_COMMON_EDF_TEXT_H_
#define CARME_COMMON_EDF_TEXT_H_

#include <string>

#include "common/edf/edf.h"

namespace carme {

// An EDF again, which says the same without bases and variables: a "$" of a
// value is "$$". Equal environments have equal texts.
std::string EdfToToml(const Edf& edf);

// The same keys as one JSON object, for programs: values as they are.
std::string EdfToJson(const Edf& edf);

}  // namespace carme

#endif  // CARME_COMMON_EDF_TEXT_H_
