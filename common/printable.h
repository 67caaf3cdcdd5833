// Makes text from other sources safe to show on a terminal or a page.
#ifndef CARME_COMMON_PRINTABLE_H_
#define CARME_COMMON_PRINTABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carme {

// The number of characters of a UTF-8 text; nullopt if it has unsafe
// characters: controls (C0, DEL, C1), and characters that are invisible,
// reorder text or break lines (Unicode's Default_Ignorable_Code_Point with the
// bidirectional controls, U+2028, U+2029, U+FFF9–U+FFFB). Two invisible
// characters are accepted where they change the visible text: U+200C (ZWNJ) and
// U+200D (ZWJ) after a virama, ZWNJ between joining letters (Persian), ZWJ
// between pictographs.
std::optional<size_t> PrintableLength(std::string_view text);

// The first `max` bytes as printable ASCII; other bytes become '?'.
std::string PlainText(std::string_view text, size_t max);

// At most `max` bytes, cut between characters. Characters that PrintableLength
// refuses, and bytes that are not UTF-8 (RFC 3629), become '?'.
std::string Readable(std::string_view text, size_t max);

// The whole text, with line ends and escapes, and '?' for each byte that is not
// UTF-8: for a program's output that is shown unchanged.
std::string ValidUtf8(std::string_view text);

// For a piece of a longer UTF-8 text: the number of bytes at its beginning, at
// most three, that continue a character from before the piece; and the number
// at its end that begin a character that continues after it.
size_t CutOffBefore(std::string_view text);
size_t CutOffBehind(std::string_view text);

// Whether the whole text is UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_PRINTABLE_H_
