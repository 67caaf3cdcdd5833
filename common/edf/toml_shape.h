// What of TOML may reach the parser, found before it is parsed. toml++ 3.3 can
// be broken by a hostile text in these ways:
//
// 1. Its tables are destroyed recursively; a key of a hundred thousand dots is
//    as many frames of the stack.
// 2. It takes for granted, with an assumption that the optimizer may use, that
//    what looks like a date or a number is one: 1979-05-27Tx07:32:00.
// 3. It takes for granted that a character outside of ASCII is one of some
//    when it looks for white space.
#ifndef CARME_COMMON_EDF_TOML_SHAPE_H_
#define CARME_COMMON_EDF_TOML_SHAPE_H_

#include <string>
#include <string_view>

#include "common/edf/problem.h"

namespace carme {

// False, and a problem with its line. 100: brackets are nested deeper than
// kMaxEdfNesting, or the keys of one statement have more than kMaxEdfDots
// dots. 3: a value is neither string, array, table, boolean nor plain decimal
// number, a byte outside of strings and comments is not of plain text, or a
// backslash begins no escape. Of other broken TOML it says nothing.
bool CheckTomlShape(std::string_view text, const std::string& file,
                    EdfProblems* problems);

}  // namespace carme

#endif  // CARME_COMMON_EDF_TOML_SHAPE_H_
