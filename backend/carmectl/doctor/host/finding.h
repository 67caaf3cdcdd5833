// What `carmectl doctor` reports: the stable kinds of findings, and one
// occurrence of a kind. Values.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_FINDING_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_FINDING_H_

#include <string>
#include <string_view>

namespace carme::carmectl {

enum class Severity {
  kNote,     // something could not be checked
  kWarning,  // works now, but will fail or is less secure than it should be
  kError,    // does not work, or is not secure
};

struct FindingKind {
  std::string_view id;  // never changes: scripts and monitoring compare it
  Severity severity;
  std::string_view why;  // why it matters: a sentence with a period
};

struct Finding {
  FindingKind kind;
  std::string problem;  // what is wrong, with the object; no period
  std::string remedy;   // the command, or the edit, that mends it
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_FINDING_H_
