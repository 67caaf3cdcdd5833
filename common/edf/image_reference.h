// What `image` may name: a file or directory of the host, an image of the
// site's store, or one of a registry.
#ifndef CARME_COMMON_EDF_IMAGE_REFERENCE_H_
#define CARME_COMMON_EDF_IMAGE_REFERENCE_H_

#include <optional>
#include <string>
#include <string_view>

#include "common/edf/problem.h"

namespace carme {

struct EdfImage {
  enum class Kind {
    kPath,      // begins with "/" or "./"
    kStore,     // "store#NAME[:VERSION]"
    kRegistry,  // "[USER@][REGISTRY#]IMAGE[:TAG][@sha256:DIGEST]"
  };
  Kind kind = Kind::kPath;
  std::string path;      // kPath: absolute
  std::string user;      // kRegistry; empty: nobody
  std::string registry;  // kRegistry; empty: Docker Hub
  std::string name;      // kStore, kRegistry
  std::string tag;       // kStore: the version; empty: not said
  std::string digest;    // kRegistry: 64 hexadecimal digits; empty: not said

  friend bool operator==(const EdfImage&, const EdfImage&) = default;
};

// `found` has its variables in place already. Nothing, and a problem: 9 a
// path, 101 what is no reference.
std::optional<EdfImage> ParseImage(const EdfText& found, std::string_view cwd,
                                   EdfProblems* problems);

// What of a valid reference probably means something else to its author, in
// Docker's spelling; empty: nothing.
std::string ReferenceWarning(const EdfImage& image);

// The one text of an image; what was not said is not added.
std::string ImageText(const EdfImage& image);

}  // namespace carme

#endif  // CARME_COMMON_EDF_IMAGE_REFERENCE_H_
