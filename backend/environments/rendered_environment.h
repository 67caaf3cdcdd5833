// The rendered environment of a job, stored at its submission.
#ifndef CARME_BACKEND_ENVIRONMENTS_RENDERED_ENVIRONMENT_H_
#define CARME_BACKEND_ENVIRONMENTS_RENDERED_ENVIRONMENT_H_

#include <string>

namespace carme::backend {

struct RenderedEnvironment {
  std::string rendered;      // empty: none, or a file on the nodes
  std::string image;         // image id; empty: another file
  std::string image_sha256;  // of the image file; empty: not known
  friend bool operator==(const RenderedEnvironment&,
                         const RenderedEnvironment&) = default;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_RENDERED_ENVIRONMENT_H_
