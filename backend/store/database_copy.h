// Copies a database to a new file while other processes use it, and checks
// whether a database is intact.
#ifndef CARME_BACKEND_STORE_DATABASE_COPY_H_
#define CARME_BACKEND_STORE_DATABASE_COPY_H_

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace carme::backend {

// Copies the state of one moment, including what is only in the write-ahead
// log, to the new file `to` (0600), and makes it durable. The copy needs no
// further files. Writers of `from` are not blocked. `go_on` is called between
// steps of a few MiB; its error ends the copy. After an error `to` does not
// exist. ALREADY_EXISTS: `to` exists; RESOURCE_EXHAUSTED: its disk is full;
// DATA_LOSS: `from` is corrupt.
absl::Status CopyDatabase(
    const std::string& from, const std::string& to,
    const std::function<absl::Status()>& go_on = [] {
      return absl::OkStatus();
    });

// DATA_LOSS: SQLite's quick check found errors. Reads the whole file.
absl::Status CheckDatabase(const std::string& path);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_DATABASE_COPY_H_
