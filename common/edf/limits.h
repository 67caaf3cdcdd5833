// How much an environment may be. What is more is refused with number 100.
#ifndef CARME_COMMON_EDF_LIMITS_H_
#define CARME_COMMON_EDF_LIMITS_H_

#include <cstddef>

namespace carme {

constexpr size_t kMostEdfBytes = 256 << 10;  // of one file
constexpr int kMostEdfLevels = 10;           // the file itself is the first
constexpr int kMostEdfFiles = 64;            // read for one environment
constexpr size_t kMostEdfNesting = 16;       // brackets in each other
constexpr int kMostEdfDots = 64;             // of the keys of a statement
constexpr size_t kMostEdfMounts = 256;
constexpr size_t kMostEdfDevices = 64;
constexpr size_t kMostEdfEntries = 1024;  // of env, and of annotations
constexpr size_t kMostEdfKeyBytes = 256;
constexpr size_t kMostEdfPathBytes = 4095;        // PATH_MAX with its zero
constexpr size_t kMostEdfValueBytes = 32 << 10;   // of one expanded value
constexpr size_t kMostEdfTotalBytes = 512 << 10;  // of all of them
constexpr size_t kMostEdfProblems = 100;          // that are told

}  // namespace carme

#endif  // CARME_COMMON_EDF_LIMITS_H_
