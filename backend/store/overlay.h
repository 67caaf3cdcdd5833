// A database with private tables in memory over those of a file: for code that
// writes and reads as usual, to find out what a change would mean.
#ifndef CARME_BACKEND_STORE_OVERLAY_H_
#define CARME_BACKEND_STORE_OVERLAY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/store/database.h"

namespace carme::backend {

// A table of the file that the overlay hides.
struct OverlayTable {
  std::string name{};    // trusted: it becomes part of statements
  bool has_rows = true;  // false: it is empty in the overlay
};

// Opens the file of `database` for reading, and copies these tables into the
// memory of that connection, all of one moment. Statements read and write the
// copies, which keep their constraints but not their foreign keys. A write to
// another table fails: nothing reaches the file. The copies are gone with the
// returned object. FAILED_PRECONDITION: `database` is in memory.
absl::StatusOr<std::unique_ptr<Database>> OpenOverlay(
    Database* database, const std::vector<OverlayTable>& tables);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_OVERLAY_H_
