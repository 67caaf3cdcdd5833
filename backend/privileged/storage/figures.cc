#include "backend/privileged/storage/figures.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/privileged/storage/messages.h"

namespace carme::storage_reader {
namespace {

using privileged::v1::StorageArea;

// Saturates at the maximum.
uint64_t Times(uint64_t count, uint64_t unit) {
  uint64_t product = 0;
  return __builtin_mul_overflow(count, unit, &product)
             ? std::numeric_limits<uint64_t>::max()
             : product;
}

uint64_t Less(uint64_t all, uint64_t part) {
  return all > part ? all - part : 0;
}

absl::Status InvalidOutput(absl::string_view found,
                           absl::string_view expected) {
  return MakePlainError(
      storage_reader_messages::kFigureUnexpected,
      {{"found", found.substr(0, 80)}, {"expected", expected}});
}

bool SetField(absl::string_view key, uint64_t value, StorageArea* area) {
  if (key == "used_bytes")
    area->set_used_bytes(value);
  else if (key == "soft_limit_bytes")
    area->set_soft_limit_bytes(value);
  else if (key == "limit_bytes")
    area->set_limit_bytes(value);
  else if (key == "used_files")
    area->set_used_files(value);
  else if (key == "soft_limit_files")
    area->set_soft_limit_files(value);
  else if (key == "limit_files")
    area->set_limit_files(value);
  else if (key == "grace_ends_unix_s" && value < (uint64_t{1} << 40))
    area->set_grace_ends_unix_s(static_cast<int64_t>(value));
  else
    return false;
  return true;
}

absl::Status FillFromPlain(absl::string_view output, StorageArea* area) {
  bool has_usage = false;
  for (const absl::string_view raw : absl::StrSplit(output, '\n')) {
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty()) continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '=');
    uint64_t value = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &value) ||
        !SetField(parts[0], value, area)) {
      return InvalidOutput(line, "lines such as used_bytes=1024");
    }
    has_usage = has_usage || parts[0] == "used_bytes";
  }
  if (has_usage) return absl::OkStatus();
  return InvalidOutput(output, "a line used_bytes=");
}

// False: neither a number nor "unlimited" or "-".
bool ReadLimit(absl::string_view text, uint64_t* limit) {
  *limit = 0;
  return text == "unlimited" || text == "-" || absl::SimpleAtoi(text, limit);
}

absl::Status FillFromBeegfs(absl::string_view output, uint32_t id,
                            StorageArea* area) {
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
    for (absl::string_view& field : fields) {
      field = absl::StripAsciiWhitespace(field);
    }
    if (fields.size() < 6 || fields[1] != absl::StrCat(id)) continue;
    uint64_t bytes = 0, limit_bytes = 0, files = 0, limit_files = 0;
    if (!absl::SimpleAtoi(fields[2], &bytes) ||
        !ReadLimit(fields[3], &limit_bytes) ||
        !absl::SimpleAtoi(fields[4], &files) ||
        !ReadLimit(fields[5], &limit_files)) {
      return InvalidOutput(line, "name,id,size,hard,files,hard");
    }
    area->set_used_bytes(bytes);
    area->set_limit_bytes(limit_bytes);
    area->set_used_files(files);
    area->set_limit_files(limit_files);
    return absl::OkStatus();
  }
  return InvalidOutput(output, absl::StrCat("a line with id ", id));
}

}  // namespace

void FillFromFileSystem(const struct statfs& found, StorageArea* area) {
  const auto unit = static_cast<uint64_t>(found.f_frsize);
  const uint64_t used = Less(found.f_blocks, found.f_bfree);
  area->set_used_bytes(Times(used, unit));
  area->set_limit_bytes(Times(used + found.f_bavail, unit));
  area->set_used_files(Less(found.f_files, found.f_ffree));
  area->set_limit_files(found.f_files);
  area->set_shared(true);
}

void FillFromQuota(const struct dqblk& found, StorageArea* area) {
  // Limits are in blocks of 1 KiB on every file system.
  constexpr uint64_t kBlock = 1024;
  area->set_used_bytes(found.dqb_curspace);
  area->set_soft_limit_bytes(Times(found.dqb_bsoftlimit, kBlock));
  area->set_limit_bytes(Times(found.dqb_bhardlimit, kBlock));
  area->set_used_files(found.dqb_curinodes);
  area->set_soft_limit_files(found.dqb_isoftlimit);
  area->set_limit_files(found.dqb_ihardlimit);
  // File systems may keep old times: they count only above the soft limit.
  int64_t ends = 0;
  const auto over = [&ends](uint64_t used, uint64_t soft, uint64_t time) {
    if (soft == 0 || used <= soft || time == 0) return;
    const auto at = static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
    ends = ends == 0 ? at : std::min(ends, at);
  };
  over(area->used_bytes(), area->soft_limit_bytes(), found.dqb_btime);
  over(area->used_files(), area->soft_limit_files(), found.dqb_itime);
  area->set_grace_ends_unix_s(ends);
}

absl::Status FillFromOutput(std::string_view output,
                            StorageAreaConfig::Format format, uint32_t id,
                            StorageArea* area) {
  const absl::string_view text(output.data(), output.size());
  return format == StorageAreaConfig::Format::kBeegfs
             ? FillFromBeegfs(text, id, area)
             : FillFromPlain(text, area);
}

}  // namespace carme::storage_reader
