// The value of `image`: a file or directory of the host, an image of the site's
// store, or an image of a registry.
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
  std::string user;      // kRegistry; empty: anonymous
  std::string registry;  // kRegistry; empty: Docker Hub
  std::string name;      // kStore, kRegistry
  std::string tag;       // kStore: the version; empty: none
  std::string digest;    // kRegistry: 64 hexadecimal digits; empty: none

  friend bool operator==(const EdfImage&, const EdfImage&) = default;
};

// REQUIRES: the variables of `found` are expanded. nullopt, with a problem: 9
// an invalid path, 101 a malformed reference.
std::optional<EdfImage> ParseImage(const EdfText& found, std::string_view cwd,
                                   EdfProblems* problems);

// A part of a valid reference that its author probably meant differently, in
// Docker's syntax; empty: none.
DisplayText ReferenceWarning(const EdfImage& image);

// The canonical text of an image; missing parts are not added.
std::string ImageText(const EdfImage& image);

}  // namespace carme

#endif  // CARME_COMMON_EDF_IMAGE_REFERENCE_H_
