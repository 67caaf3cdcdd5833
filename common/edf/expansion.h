// Variables in the texts of an environment: ${NAME}, ${NAME:-default}, and $$
// for a dollar sign. Pure text: no shell is ever asked.
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

// `found` with its variables in place. The default stands for a variable that
// is undefined or empty, and is itself expanded. Nothing, and a problem:
// 17 an undefined variable, 18 what is no reference, 19 a result that is no
// UTF-8 text or longer than kMaxEdfValueBytes.
std::optional<std::string> ExpandVariables(const EdfText& found,
                                           const EdfVariables& variables,
                                           EdfProblems* problems);

// A text that expands to `literal`.
std::string EscapeVariables(const std::string& literal);

}  // namespace carme

#endif  // CARME_COMMON_EDF_EXPANSION_H_
