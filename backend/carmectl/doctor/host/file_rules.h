// Questions about files that several checks ask.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_FILE_RULES_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_FILE_RULES_H_

#include <sys/stat.h>

#include <optional>
#include <string>

namespace carme::carmectl {

// Follows links. nullopt: missing, or not accessible.
std::optional<struct stat> StatFile(const std::string& path);

// Why users other than root could change the file or replace it in its
// directory: "\"PATH\" belongs to uid 1000", with a sticky directory accepted.
// Empty: they cannot. REQUIRES: the file exists.
std::string WriteAccessProblem(const std::string& path, uid_t root_uid);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_FILE_RULES_H_
