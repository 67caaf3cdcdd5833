// The limits of an environment. Exceeding one is problem 100.
#ifndef CARME_COMMON_EDF_LIMITS_H_
#define CARME_COMMON_EDF_LIMITS_H_

#include <cstddef>

namespace carme {

constexpr size_t kMaxEdfBytes = 256 << 10;  // of one file
constexpr int kMaxEdfLevels = 10;           // the file itself is the first
constexpr int kMaxEdfFiles = 64;            // of one environment
constexpr size_t kMaxEdfNesting = 16;       // of nested brackets
constexpr int kMaxEdfDots = 64;             // of the keys of a statement
constexpr size_t kMaxEdfMounts = 256;
constexpr size_t kMaxEdfDevices = 64;
constexpr size_t kMaxEdfEntries = 1024;  // of env, and of annotations
constexpr size_t kMaxEdfKeyBytes = 256;
constexpr size_t kMaxEdfPathBytes = 4095;        // PATH_MAX with its zero
constexpr size_t kMaxEdfValueBytes = 32 << 10;   // of one expanded value
constexpr size_t kMaxEdfTotalBytes = 512 << 10;  // of all of them
constexpr size_t kMaxEdfProblems = 100;          // that are reported

}  // namespace carme

#endif  // CARME_COMMON_EDF_LIMITS_H_
