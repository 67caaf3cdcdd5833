// Comma-separated values with a line of headings (RFC 4180).
#ifndef CARME_BACKEND_CARMECTL_PORTAL_CSV_READER_H_
#define CARME_BACKEND_CARMECTL_PORTAL_CSV_READER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::carmectl {

struct CsvRow {
  int line = 0;                              // in the file, from 1
  std::map<std::string, std::string> cells;  // by lower-case heading, trimmed
  // Empty: there is no such column, or nothing in it.
  const std::string& Get(const std::string& heading) const;
};

struct CsvTable {
  std::vector<std::string> headings;  // lower case, in order
  std::vector<CsvRow> rows;           // without empty ones
};

// Quoted cells, CRLF, a byte order mark and empty lines are understood; a line
// that begins with "#" is a comment. INVALID_ARGUMENT names the line: a row
// with another number of cells than the headings, a quote that is not closed, a
// heading that is there twice, control characters.
absl::StatusOr<CsvTable> ReadCsv(std::string_view text);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_CSV_READER_H_
