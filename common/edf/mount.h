// One mount of an environment: `SOURCE:DESTINATION[:FLAGS]`, or one path for
// both, as in CSCS's examples.
#ifndef CARME_COMMON_EDF_MOUNT_H_
#define CARME_COMMON_EDF_MOUNT_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/edf/expansion.h"
#include "common/edf/problem.h"

namespace carme {

struct EdfMount {
  std::string source;       // absolute, on the host; may have ".."
  std::string destination;  // absolute, in the environment; without ".."
  // A subset of ro rw nosuid nodev noexec bind rbind private rprivate slave
  // rslave without contradictions; or only "sqsh": the source is a SquashFS
  // file that is mounted at the destination.
  std::set<std::string> flags;

  friend bool operator==(const EdfMount&, const EdfMount&) = default;
};

// The field is split before its variables are expanded, so that no variable
// can add fields. nullopt, with problems: those of the expansion, 8 the number
// of fields, 9 a path, 12 and 13 the first character of source and destination,
// 102 flags.
std::optional<EdfMount> ParseMount(const EdfText& found,
                                   const EdfVariables& variables,
                                   std::string_view cwd, EdfProblems* problems);

// The canonical text of a mount: `/a:/b:nodev+ro`.
std::string MountText(const EdfMount& mount);

}  // namespace carme

#endif  // CARME_COMMON_EDF_MOUNT_H_
