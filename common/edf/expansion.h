// Variables in the texts of an environment: ${NAME}, ${NAME:-default}, and $$
// for a dollar sign. No shell is involved.
#ifndef CARME_COMMON_EDF_EXPANSION_H_
#define CARME_COMMON_EDF_EXPANSION_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/edf/problem.h"

namespace carme {

using EdfVariables = std::map<std::string, std::string, std::less<>>;

// `found` with its variables replaced. The default, which is expanded too, is
// used for a variable that is undefined or empty. nullopt, with a problem: 17
// an undefined variable, 18 a malformed reference, 19 a result that is not
// UTF-8 or longer than kMaxEdfValueBytes.
std::optional<std::string> ExpandVariables(const EdfText& found,
                                           const EdfVariables& variables,
                                           EdfProblems* problems);

// A text that expands to `literal`.
std::string EscapeVariables(const std::string& literal);

}  // namespace carme

#endif  // CARME_COMMON_EDF_EXPANSION_H_
