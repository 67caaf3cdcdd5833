#include "slurm-hooks/vet/config/quantity.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace carme::vet {
namespace {

constexpr double kKib = 1024;

struct Unit {
  std::string_view name;  // lower case
  double factor;
};

constexpr Unit kByteUnits[] = {
    {"b", 1},
    {"kb", kKib},
    {"kib", kKib},
    {"mb", kKib* kKib},
    {"mib", kKib* kKib},
    {"gb", kKib* kKib* kKib},
    {"gib", kKib* kKib* kKib},
    {"tb", kKib* kKib* kKib* kKib},
    {"tib", kKib* kKib* kKib* kKib},
};

constexpr Unit kTimeUnits[] = {
    {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}};

// Splits "15 GB/s" into 15 and "gb/s".
std::optional<std::pair<double, std::string>> Split(std::string_view text) {
  const size_t end = text.find_first_not_of("0123456789.eE+");
  // the "e" of an exponent is not the end of the number, that of a unit is
  const auto number = ParseNumber(text.substr(0, end));
  if (!number.has_value()) return std::nullopt;
  const absl::string_view rest =
      end == std::string_view::npos
          ? absl::string_view()
          : absl::string_view(text.data() + end, text.size() - end);
  return std::pair(*number,
                   absl::AsciiStrToLower(absl::StripAsciiWhitespace(rest)));
}

template <size_t kCount>
std::optional<double> FactorOf(const Unit (&units)[kCount],
                               std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  if (text.empty() ||
      text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return std::nullopt;
  }
  if (!absl::SimpleAtod(absl::string_view(text.data(), text.size()), &number) ||
      !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> ParseBytes(std::string_view text) {
  const auto parts = Split(text);
  if (!parts.has_value()) return std::nullopt;
  if (parts->second.empty()) return parts->first;
  const auto factor = FactorOf(kByteUnits, parts->second);
  if (!factor.has_value()) return std::nullopt;
  return parts->first * *factor;
}

std::optional<double> ParseRate(std::string_view text) {
  const auto parts = Split(text);
  if (!parts.has_value()) return std::nullopt;
  if (parts->second.empty()) return parts->first * kKib * kKib * kKib;
  if (!parts->second.ends_with("/s")) return std::nullopt;
  const auto factor = FactorOf(
      kByteUnits,
      std::string_view(parts->second).substr(0, parts->second.size() - 2));
  if (!factor.has_value()) return std::nullopt;
  return parts->first * *factor;
}

std::optional<double> ParseSeconds(std::string_view text) {
  const auto parts = Split(text);
  if (!parts.has_value()) return std::nullopt;
  if (parts->second.empty()) return parts->first;
  const auto factor = FactorOf(kTimeUnits, parts->second);
  if (!factor.has_value()) return std::nullopt;
  return parts->first * *factor;
}

std::string FormatBytes(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= kKib && unit + 1 < std::size(units)) {
    bytes /= kKib;
    ++unit;
  }
  return absl::StrFormat("%.4g %s", bytes, units[unit]);
}

std::string FormatSeconds(double seconds) {
  if (std::abs(seconds) < 1e-3)
    return absl::StrFormat("%.3g us", seconds * 1e6);
  if (std::abs(seconds) < 1) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g s", seconds);
}

}  // namespace carme::vet
