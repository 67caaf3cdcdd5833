// Looks up names of users and groups by their beginning.
#ifndef CARME_BACKEND_IDENTITY_DIRECTORY_SEARCH_H_
#define CARME_BACKEND_IDENTITY_DIRECTORY_SEARCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::backend {

// A name of the directory. It does not say that the user may log in.
struct DirectoryName {
  std::string name{};
  std::string display_name{};  // of a user; printable, may be empty
  friend bool operator==(const DirectoryName&, const DirectoryName&) = default;
};

struct DirectoryNames {
  std::vector<DirectoryName> names{};  // by name
  bool more = false;                   // the directory has more than these
};

// Implemented by the directory. Thread-safe; each call blocks for at most a few
// of the configured time-outs. UNAVAILABLE: the directory failed; the message
// is for the log.
class DirectorySearch {
 public:
  // The most names that a search may ask for.
  static constexpr int kMaxNames = 500;

  virtual ~DirectorySearch() = default;
  // Users whose name or display name begins with the text, in any case, and
  // whose name and uid are valid; at most `max`.
  virtual absl::StatusOr<DirectoryNames> SearchUsers(std::string_view beginning,
                                                     int max) = 0;
  // Groups below the configured base, likewise; none if no base is configured.
  virtual absl::StatusOr<DirectoryNames> SearchGroups(
      std::string_view beginning, int max) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_DIRECTORY_SEARCH_H_
