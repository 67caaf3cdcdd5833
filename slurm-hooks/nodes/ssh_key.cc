#include "slurm-hooks/nodes/ssh_key.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::node {
namespace {

constexpr std::string_view kType = "ssh-ed25519";
constexpr size_t kKeyBytes = 32;
constexpr size_t kBlockBytes = 8;  // of the cipher "none"
constexpr size_t kLineBytes = 70;
constexpr size_t kMaxPublicLine = 256;

struct RawKey {
  std::string seed;
  std::string point;
};

absl::StatusOr<RawKey> MakeKey() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  RawKey raw{std::string(kKeyBytes, '\0'), std::string(kKeyBytes, '\0')};
  size_t seed_bytes = kKeyBytes;
  size_t point_bytes = kKeyBytes;
  const auto bytes = [](std::string* text) {
    return reinterpret_cast<unsigned char*>(text->data());
  };
  if (key == nullptr ||
      EVP_PKEY_get_raw_private_key(key.get(), bytes(&raw.seed), &seed_bytes) !=
          1 ||
      EVP_PKEY_get_raw_public_key(key.get(), bytes(&raw.point), &point_bytes) !=
          1) {
    return absl::InternalError("OpenSSL makes no Ed25519 key");
  }
  return raw;
}

// RFC 4251, section 5: numbers of four bytes, strings behind their length.
std::string Number(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text.push_back(static_cast<char>(value >> shift & 0xff));
  }
  return text;
}

std::string Field(std::string_view bytes) {
  return absl::StrCat(Number(static_cast<uint32_t>(bytes.size())),
                      std::string(bytes));
}

std::string InLines(const std::string& text) {
  std::string lines;
  for (size_t at = 0; at < text.size(); at += kLineBytes) {
    absl::StrAppend(&lines, text.substr(at, kLineBytes), "\n");
  }
  return lines;
}

// PROTOCOL.key of OpenSSH: what is public, then what is private between two
// equal numbers and a padding of 1, 2, 3, …
std::string PrivateText(const RawKey& key, const std::string& public_blob,
                        std::string_view comment) {
  const std::string check = RandomBytes(4);
  std::string secret =
      absl::StrCat(check, check, Field(kType), Field(key.point),
                   Field(key.seed + key.point), Field(comment));
  for (char pad = 1; secret.size() % kBlockBytes != 0; ++pad) {
    secret.push_back(pad);
  }
  std::string blob("openssh-key-v1\0", 15);
  absl::StrAppend(&blob, Field("none"), Field("none"), Field(""), Number(1),
                  Field(public_blob), Field(secret));
  return absl::StrCat("-----BEGIN OPENSSH PRIVATE KEY-----\n",
                      InLines(absl::Base64Escape(blob)),
                      "-----END OPENSSH PRIVATE KEY-----\n");
}

}  // namespace

bool IsPublicLine(std::string_view text) {
  const std::string head = absl::StrCat(std::string(kType), " ");
  if (!text.starts_with(head) || text.size() > kMaxPublicLine) return false;
  text.remove_prefix(head.size());
  const size_t space = text.find(' ');
  const std::string blob(text.substr(0, space));
  std::string bytes;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) {
                       return absl::ascii_isalnum(c) || c == ' ' || c == '+' ||
                              c == '/' || c == '=' || c == '-';
                     }) &&
         absl::Base64Unescape(blob, &bytes) &&
         bytes.size() == Field(kType).size() + 4 + kKeyBytes &&
         bytes.starts_with(Field(kType));
}

absl::StatusOr<SshKey> NewSshKey(std::string_view comment) {
  ASSIGN_OR_RETURN(const RawKey key, MakeKey());
  const std::string blob = absl::StrCat(Field(kType), Field(key.point));
  return SshKey{.private_text = PrivateText(key, blob, comment),
                .public_line = absl::StrCat(std::string(kType), " ",
                                            absl::Base64Escape(blob), " ",
                                            std::string(comment))};
}

}  // namespace carme::node
