// The rules for ids and names that Carme's programs accept from each other and
// from users: characters and lengths, in one table. Programs that check the
// same name use the same row, so that a later one accepts what an earlier one
// accepted.
//
//   if (!kAppIdRule.Allows(id)) return InvalidArgument(…);
#ifndef CARME_COMMON_NAME_RULES_H_
#define CARME_COMMON_NAME_RULES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carme {

// A set of ASCII characters. A value.
class CharacterSet {
 public:
  constexpr CharacterSet() = default;
  constexpr CharacterSet(const char* characters) {  // NOLINT: a literal
    for (const char c : std::string_view(characters)) Add(c);
  }
  // All characters from `first` to `last`.
  static constexpr CharacterSet Range(char first, char last) {
    CharacterSet set;
    for (char c = first; c <= last; ++c) set.Add(c);
    return set;
  }
  constexpr bool Contains(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 128 && (bits_[byte / 64] >> (byte % 64) & 1) != 0;
  }
  // Whether `text` has no other characters; true if it is empty.
  constexpr bool ContainsAll(std::string_view text) const {
    for (const char c : text) {
      if (!Contains(c)) return false;
    }
    return true;
  }
  friend constexpr CharacterSet operator|(CharacterSet a,
                                          const CharacterSet& b) {
    a.bits_[0] |= b.bits_[0];
    a.bits_[1] |= b.bits_[1];
    return a;
  }

 private:
  constexpr void Add(char c) {
    const auto byte = static_cast<unsigned char>(c);
    bits_[byte / 64] |= uint64_t{1} << (byte % 64);
  }

  uint64_t bits_[2] = {0, 0};
};

inline constexpr CharacterSet kLowercase = CharacterSet::Range('a', 'z');
inline constexpr CharacterSet kDecimalDigits = CharacterSet::Range('0', '9');
inline constexpr CharacterSet kAsciiLetters =
    kLowercase | CharacterSet::Range('A', 'Z');
inline constexpr CharacterSet kAlphanumeric = kAsciiLetters | kDecimalDigits;
inline constexpr CharacterSet kLowercaseHex =
    kDecimalDigits | CharacterSet::Range('a', 'f');
inline constexpr CharacterSet kBase64UrlCharacters = kAlphanumeric | "-_";

struct NameRule {
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

  CharacterSet characters;
  size_t min_bytes = 1;
  size_t max_bytes;
  CharacterSet first = characters;  // of the first character
  CharacterSet last = characters;

  constexpr bool Allows(std::string_view text) const {
    if (text.size() < min_bytes || text.size() > max_bytes) return false;
    if (text.empty()) return true;
    return first.Contains(text.front()) && last.Contains(text.back()) &&
           characters.ContainsAll(text);
  }
};

// Ids of Carme. A job's id is also a label of a host name.
inline constexpr NameRule kJobIdRule{.characters = kLowercase | kDecimalDigits,
                                     .min_bytes = 16,
                                     .max_bytes = 16,
                                     .first = kLowercase};
// Such as "code-server"; part of host names, paths and file names.
inline constexpr NameRule kAppIdRule{
    .characters = kLowercase | kDecimalDigits | "-",
    .max_bytes = 31,
    .first = kLowercase};
// Ids of requests, sent by other programs and written into logs.
inline constexpr NameRule kRequestIdRule{.characters = kBase64UrlCharacters,
                                         .max_bytes = 64};
// The machine in the URI of a certificate.
inline constexpr NameRule kMachineNameRule{
    .characters = kLowercase | kDecimalDigits | ".-",
    .max_bytes = 63,
    .first = kLowercase | kDecimalDigits,
    .last = kLowercase | kDecimalDigits};
inline constexpr NameRule kSha256HexRule{
    .characters = kLowercaseHex, .min_bytes = 64, .max_bytes = 64};

// Names that people choose.
inline constexpr NameRule kUsernameRule{.characters = kAlphanumeric | "._-@+",
                                        .max_bytes = 64,
                                        .first = kAlphanumeric | "._@+"};
// Also the name of a file, without its suffix.
inline constexpr NameRule kEnvironmentNameRule{
    .characters = kAlphanumeric | "._-",
    .max_bytes = 63,
    .first = kAlphanumeric};
inline constexpr NameRule kVariableNameRule{.characters = kAlphanumeric | "_",
                                            .max_bytes = NameRule::kUnlimited,
                                            .first = kAsciiLetters | "_"};
// Whether `name` is a variable by which Slurm and Carme describe a job to its
// programs. An image must not set such a variable, because programs would use
// its value as the job's.
inline bool IsReservedVariable(std::string_view name) {
  for (const std::string_view prefix : {"SLURM_", "SLURMD_", "CARME_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// Names of Slurm: partitions, accounts, QOS, GPU types, nodes.
inline constexpr NameRule kSlurmNameRule{.characters = kAlphanumeric | "_-.",
                                         .max_bytes = 64};
// The GPUs of a node in a step, such as "0,2-3"; may be empty.
inline constexpr NameRule kGpuListRule{
    .characters = kAlphanumeric | ",-:", .min_bytes = 0, .max_bytes = 255};

}  // namespace carme

#endif  // CARME_COMMON_NAME_RULES_H_
