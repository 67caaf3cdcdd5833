#include "backend/carmectl/setup/site/tar_archive.h"

#include <array>
#include <cstring>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr size_t kBlockBytes = 512;

// Offsets and lengths of the fields of a ustar header.
struct TarField {
  size_t offset;
  size_t length;
};
constexpr TarField kTarName{0, 100};
constexpr TarField kTarMode{100, 8};
constexpr TarField kTarUid{108, 8};
constexpr TarField kTarGid{116, 8};
constexpr TarField kTarSize{124, 12};
constexpr TarField kTarTime{136, 12};
constexpr TarField kTarSum{148, 8};
constexpr TarField kTarType{156, 1};
constexpr TarField kTarMagic{257, 8};
constexpr TarField kTarOwner{265, 32};
constexpr TarField kTarGroup{297, 32};

using TarHeader = std::array<char, kBlockBytes>;

void Put(TarField field, std::string_view text, TarHeader* header) {
  std::memcpy(header->data() + field.offset, text.data(),
              std::min(text.size(), field.length));
}

void PutOctal(TarField field, int64_t value, TarHeader* header) {
  Put(field, absl::StrFormat("%0*o", static_cast<int>(field.length - 1), value),
      header);
}

TarHeader HeaderOf(const SetupFile& file, const std::string& name,
                   absl::Time now) {
  TarHeader header{};
  Put(kTarName, name, &header);
  PutOctal(kTarMode, file.mode, &header);
  PutOctal(kTarUid, 0, &header);
  PutOctal(kTarGid, 0, &header);
  PutOctal(kTarSize, static_cast<int64_t>(file.content.size()), &header);
  PutOctal(kTarTime, absl::ToUnixSeconds(now), &header);
  Put(kTarType, "0", &header);
  Put(kTarMagic,
      std::string_view("ustar\0"
                       "00",
                       8),
      &header);
  Put(kTarOwner, file.owner, &header);
  Put(kTarGroup, file.group, &header);
  Put(kTarSum, "        ", &header);
  int64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  Put(kTarSum, absl::StrFormat("%06o", sum) + std::string("\0 ", 2), &header);
  return header;
}

}  // namespace

absl::StatusOr<std::string> MakeTar(const std::vector<SetupFile>& files,
                                    SetupHost host, absl::Time now) {
  std::string tar;
  for (const SetupFile& file : files) {
    if (file.host != host) continue;
    const std::string name(absl::StripPrefix(file.path, "/"));
    if (name.size() >= kTarName.length) {
      return MakePlainError(setup_messages::kPathTooLong,
                            {{"path", file.path}});
    }
    const TarHeader header = HeaderOf(file, name, now);
    tar.append(header.data(), header.size());
    tar.append(file.content);
    tar.resize((tar.size() + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
  }
  tar.append(2 * kBlockBytes, '\0');
  return tar;
}

}  // namespace carme::carmectl
