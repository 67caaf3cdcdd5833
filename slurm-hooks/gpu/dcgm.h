// DCGM's client library, as far as Carme uses it: the connection to a host
// engine (nv-hostengine). The functions and structures are the same in DCGM 3
// and 4. A structure has its size and version in its first member; the library
// refuses others.
#ifndef CARME_SLURM_HOOKS_GPU_DCGM_H_
#define CARME_SLURM_HOOKS_GPU_DCGM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slurm-hooks/gpu/driver_library.h"

namespace carme::gpu {

using DcgmHandle = uintptr_t;  // of a connection, a group or a field group
inline constexpr int kDcgmOk = 0;
inline constexpr int kDcgmNotSupported = -6;
inline constexpr int kDcgmEmptyGroup = 1;
inline constexpr int kDcgmGpu = 1;  // kind of an entity
// Reads from the driver, not from the last update of a watched field.
inline constexpr unsigned kDcgmLive = 1;
inline constexpr char kDcgmDouble = 'd';
inline constexpr char kDcgmInteger = 'i';
inline constexpr char kDcgmText = 's';

inline constexpr uint16_t kDcgmUuid = 54;
inline constexpr uint16_t kDcgmMigMode = 67;

// From these on a value says why there is none: not found, not supported, not
// permitted.
inline constexpr int64_t kDcgmBlankInteger = 0x7ffffffffffffff0;
inline constexpr int64_t kDcgmBlankNotSupported = kDcgmBlankInteger + 2;
inline constexpr double kDcgmBlankDouble = 140737488355328.0;  // 2^47

template <typename Struct>
constexpr unsigned DcgmVersion(unsigned version) {
  return static_cast<unsigned>(sizeof(Struct)) | version << 24;
}

struct DcgmConnectOptions {  // version 2
  unsigned version;
  unsigned persist;  // after the connection: watches and groups
  unsigned timeout_ms;
  unsigned is_unix_socket;
};
struct DcgmBuild {  // version 2
  unsigned version;
  char text[512];  // key:value;key:value
};
struct DcgmEntity {
  int kind;
  unsigned id;
};
struct DcgmValue {  // version 2
  unsigned version;
  int entity_kind;
  unsigned entity;
  uint16_t field;
  uint16_t type;
  int status;
  unsigned unused;
  int64_t time_us;  // Unix time
  union {
    int64_t integer;
    double number;
    char text[256];
    char blob[4096];
  } value;
};
static_assert(sizeof(DcgmConnectOptions) == 16);
static_assert(sizeof(DcgmBuild) == 516);
static_assert(sizeof(DcgmEntity) == 8);
static_assert(sizeof(DcgmValue) == 4128);
static_assert(offsetof(DcgmValue, time_us) == 24);

// A list of devices has room for 32 in DCGM 2 to 4.
inline constexpr size_t kDcgmMaxDevices = 256;

// Its functions. If the status of `library` is OK, all are there except
// error_string and host_engine_build.
struct Dcgm {
  explicit Dcgm(const std::vector<std::string>& files) : library(files) {}

  DriverLibrary library;

  int (*init)() = library.Find<int()>("dcgmInit");
  int (*shutdown)() = library.Find<int()>("dcgmShutdown");
  int (*connect)(const char*, DcgmConnectOptions*, DcgmHandle*) =
      library.Find<int(const char*, DcgmConnectOptions*, DcgmHandle*)>(
          "dcgmConnect_v2");
  int (*disconnect)(DcgmHandle) =
      library.Find<int(DcgmHandle)>("dcgmDisconnect");
  int (*devices)(DcgmHandle, unsigned*, int*) =
      library.Find<int(DcgmHandle, unsigned*, int*)>("dcgmGetAllDevices");
  int (*create_group)(DcgmHandle, int, const char*, DcgmHandle*) =
      library.Find<int(DcgmHandle, int, const char*, DcgmHandle*)>(
          "dcgmGroupCreate");
  int (*add_device)(DcgmHandle, DcgmHandle, unsigned) =
      library.Find<int(DcgmHandle, DcgmHandle, unsigned)>("dcgmGroupAddDevice");
  int (*create_field_group)(DcgmHandle, int, const uint16_t*, const char*,
                            DcgmHandle*) =
      library.Find<int(DcgmHandle, int, const uint16_t*, const char*,
                       DcgmHandle*)>("dcgmFieldGroupCreate");
  int (*watch)(DcgmHandle, DcgmHandle, DcgmHandle, long long, double, int) =
      library.Find<int(DcgmHandle, DcgmHandle, DcgmHandle, long long, double,
                       int)>("dcgmWatchFields");
  int (*values)(DcgmHandle, DcgmEntity*, unsigned, uint16_t*, unsigned,
                unsigned, DcgmValue*) =
      library.Find<int(DcgmHandle, DcgmEntity*, unsigned, uint16_t*, unsigned,
                       unsigned, DcgmValue*)>("dcgmEntitiesGetLatestValues");
  int (*host_engine_build)(DcgmHandle, DcgmBuild*) =
      library.FindOptional<int(DcgmHandle, DcgmBuild*)>(
          "dcgmHostengineVersionInfo");
  const char* (*error_string)(int) =
      library.FindOptional<const char*(int)>("errorString");
};

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_DCGM_H_
