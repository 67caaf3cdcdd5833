#include "slurm-hooks/files/request_target.h"

#include <limits.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/name_rules.h"
#include "slurm-hooks/files/file_error.h"

namespace carme::files {
namespace {

constexpr CharacterSet kUnescaped = kAlphanumeric | "-._~/";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[at + 1]);
    const int low = HexDigit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return bytes;
}

}  // namespace

absl::StatusOr<RequestTarget> RequestTarget::Parse(std::string_view target) {
  RequestTarget parsed;
  const size_t question = target.find('?');
  parsed.path_ = std::string(target.substr(0, question));
  if (question == target.npos) return parsed;
  const std::string query(target.substr(question + 1));
  for (const std::string& parameter :
       std::vector<std::string>(absl::StrSplit(query, '&'))) {
    const size_t equals = parameter.find('=');
    const auto name = PercentDecode(parameter.substr(0, equals));
    const auto value = PercentDecode(
        equals == std::string::npos ? "" : parameter.substr(equals + 1));
    if (!name.has_value() || !value.has_value()) {
      return FileError(kBadRequest, "invalid percent-encoding in the address");
    }
    if (parsed.Find(*name).has_value()) {
      return FileError(kBadRequest,
                       absl::StrCat("parameter \"", *name, "\" twice"));
    }
    parsed.parameters_.emplace_back(*name, *value);
  }
  return parsed;
}

std::optional<std::string> RequestTarget::Find(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> RequestTarget::FilePath(
    std::string_view name) const {
  const auto given = Find(name);
  if (!given.has_value() || given->empty() || given->front() != '/') {
    return FileError(kBadRequest,
                     absl::StrCat("parameter \"", std::string(name),
                                  "\": expected an absolute path"));
  }
  if (given->size() >= PATH_MAX || given->find('\0') != std::string::npos) {
    return FileError(kBadRequest,
                     absl::StrCat("parameter \"", std::string(name),
                                  "\": expected a path of fewer than ",
                                  PATH_MAX, " bytes without NUL"));
  }
  std::string path;
  for (const absl::string_view part :
       absl::StrSplit(*given, '/', absl::SkipEmpty())) {
    if (part == "." || part == "..") {
      return FileError(kBadRequest,
                       absl::StrCat("parameter \"", std::string(name),
                                    "\": expected a path without . and .."));
    }
    absl::StrAppend(&path, "/", part);
  }
  return path.empty() ? "/" : path;
}

std::string PercentEncode(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char byte : bytes) {
    if (kUnescaped.Contains(byte)) {
      text += byte;
    } else {
      const auto value = static_cast<unsigned char>(byte);
      text += {'%', kDigits[value / 16], kDigits[value % 16]};
    }
  }
  return text;
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string ParentPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace carme::files
