// Numbers with units, as configurations of vetnode write them: "4 GB",
// "15 GB/s", "3 s". Byte units are binary: 1 GB and 1 GiB are 2^30 bytes.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_QUANTITY_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_QUANTITY_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme::vet {

// Not negative, finite, no unit. nullopt: it is no such number.
std::optional<double> ParseNumber(std::string_view text);
// Bytes: B, KB, MB, GB, TB or KiB…; without a unit: bytes.
std::optional<double> ParseBytes(std::string_view text);
// Bytes a second: "15 GB/s"; without a unit: GB/s, as in older configurations.
std::optional<double> ParseRate(std::string_view text);
// Seconds: us, ms, s, min; without a unit: seconds.
std::optional<double> ParseSeconds(std::string_view text);

// "1.5 GiB".
std::string FormatBytes(double bytes);
// "12.3 ms".
std::string FormatSeconds(double seconds);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CONFIG_QUANTITY_H_
