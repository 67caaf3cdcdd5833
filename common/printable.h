// What may be shown of a text that somebody else wrote.
#ifndef CARME_COMMON_PRINTABLE_H_
#define CARME_COMMON_PRINTABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carme {

// The number of characters of a UTF-8 text. Nothing when it has one by which a
// terminal or a page could be deceived: controls (C0, DEL, C1) and what is
// invisible, reorders text or breaks lines (Unicode's Default_Ignorable_
// Code_Point with the bidirectional controls, U+2028, U+2029, U+FFF9–U+FFFB).
// Two invisible characters that words and emoji need are accepted where they
// change what is seen, and only there: U+200C (ZWNJ) and U+200D (ZWJ) behind a
// virama, ZWNJ between letters that join (Persian), ZWJ between pictographs.
std::optional<size_t> PrintableLength(std::string_view text);

// The first `most` bytes of it as plain ASCII; everything else becomes '?'.
std::string PlainText(std::string_view text, size_t most);

// At most `most` bytes of it, cut between characters, in which everything that
// PrintableLength refuses or that is not UTF-8 (RFC 3629) became '?'.
std::string Readable(std::string_view text, size_t most);

// All of it, line ends and escapes included, with '?' for each byte that is not
// UTF-8: for those who show a program's output as it is.
std::string ValidUtf8(std::string_view text);

// Of a piece that was cut out of a longer UTF-8 text: the bytes at its
// beginning, at most three, that end a character of which the rest is before
// it; and those at its end that begin one which goes on behind it.
size_t CutOffBefore(std::string_view text);
size_t CutOffBehind(std::string_view text);

// Whether all of it is UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_PRINTABLE_H_
