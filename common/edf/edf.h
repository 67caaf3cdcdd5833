// The content of an environment definition file (EDF) after its bases, names
// and variables were resolved: all that a node needs to create the environment.
// Plain values; README.md has the grammar.
#ifndef CARME_COMMON_EDF_EDF_H_
#define CARME_COMMON_EDF_EDF_H_

#include <map>
#include <string>
#include <vector>

#include "common/edf/image_reference.h"
#include "common/edf/mount.h"

namespace carme {

// The device that means all GPUs of the step and the node's driver.
inline constexpr char kAllNvidiaGpus[] = "nvidia.com/gpu=all";

struct Edf {
  EdfImage image;
  std::vector<EdfMount> mounts;  // in mount order
  std::string workdir;           // absolute; empty: the image's
  bool writable = true;          // false: the root is read-only
  bool entrypoint = false;       // run the entrypoint of the image
  std::vector<std::string> devices;
  std::map<std::string, std::string> env;  // "" unsets the variable
  // Keys are flat: "com.hooks.ssh.enabled".
  std::map<std::string, std::string> annotations;

  friend bool operator==(const Edf&, const Edf&) = default;
};

}  // namespace carme

#endif  // CARME_COMMON_EDF_EDF_H_
