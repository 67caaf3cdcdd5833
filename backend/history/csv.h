// The history as comma-separated values (RFC 4180), safe to open in a
// spreadsheet.
#ifndef CARME_BACKEND_HISTORY_CSV_H_
#define CARME_BACKEND_HISTORY_CSV_H_

#include <string>
#include <string_view>

#include "backend/history/history_entry.h"

namespace carme::backend {

// A cell. A leading formula character (= + - @, tab, line break) gets an
// apostrophe, because names and reasons come from users.
std::string CsvCell(std::string_view text);

std::string CsvHeader();  // with line break, like the rows
std::string CsvRow(const HistoryEntry& entry);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_CSV_H_
