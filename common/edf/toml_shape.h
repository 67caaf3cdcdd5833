// Checks a text before it is parsed, because hostile texts can crash
// toml++ 3.3:
//
// 1. It destroys tables recursively; a key with a hundred thousand dots needs
// as
//    many stack frames.
// 2. It assumes, with a hint to the optimizer, that text that begins like a
// date
//    or a number is one: 1979-05-27Tx07:32:00.
// 3. It assumes that a non-ASCII character is one of a few when it looks for
//    white space.
#ifndef CARME_COMMON_EDF_TOML_SHAPE_H_
#define CARME_COMMON_EDF_TOML_SHAPE_H_

#include <string>
#include <string_view>

#include "common/edf/problem.h"

namespace carme {

// False, with a problem and its line. 100: brackets are nested deeper than
// kMaxEdfNesting, or the keys of one statement have more than kMaxEdfDots dots.
// 3: a value is not a string, array, table, boolean or decimal number, a byte
// outside of strings and comments is not plain text, or an escape is invalid.
// Does not report other malformed TOML.
bool CheckTomlShape(std::string_view text, const std::string& file,
                    EdfProblems* problems);

}  // namespace carme

#endif  // CARME_COMMON_EDF_TOML_SHAPE_H_
