// The history as comma-separated values (RFC 4180), safe to open in a
// spreadsheet.
#ifndef CARME_BACKEND_HISTORY_CSV_H_
#define CARME_BACKEND_HISTORY_CSV_H_

#include <string>
#include <string_view>

#include "backend/history/history_entry.h"

namespace carme::backend {

// A cell. What begins as a formula does (= + - @, a tab, a line's end) gets an
// apostrophe before it: names and reasons are what users made of them.
std::string CsvCell(std::string_view text);

std::string CsvHeader();  // with its line's end, as the rows
std::string CsvRow(const HistoryEntry& entry);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_CSV_H_
