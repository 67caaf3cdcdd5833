// What the environment of a job amounts to, kept from its submission on.
#ifndef CARME_BACKEND_ENVIRONMENTS_JOB_ENVIRONMENT_H_
#define CARME_BACKEND_ENVIRONMENTS_JOB_ENVIRONMENT_H_

#include <string>

namespace carme::backend {

struct JobEnvironment {
  std::string rendered;      // empty: none, or a file on the nodes
  std::string image;         // id in the catalogue; empty: another file
  std::string image_sha256;  // of the file it names; empty: not known
  friend bool operator==(const JobEnvironment&,
                         const JobEnvironment&) = default;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_JOB_ENVIRONMENT_H_
