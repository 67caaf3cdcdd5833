#include "backend/carmectl/portal/csv_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/portal/messages.h"

namespace carme::carmectl {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

absl::Status At(int line, const std::string& what) {
  return MakePlainError(portal_messages::kInvalidLine,
                        {{"line", line}, {"problem", what}});
}

std::string Trimmed(const std::string& text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

struct Record {
  int line = 0;
  std::vector<std::string> cells;
};

// Reads the records in order. A quoted cell may contain line ends.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }

  absl::StatusOr<Record> Next() {
    Record record{.line = line_, .cells = {}};
    std::string cell;
    bool quoted = false;
    while (!done()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          cell += c;
        } else if (!done() && text_[at_] == '"') {
          cell += text_[at_++];
        } else {
          quoted = false;
        }
      } else if (c == '"' && Trimmed(cell).empty()) {
        cell.clear();
        quoted = true;
      } else if (c == ',') {
        record.cells.push_back(Trimmed(cell));
        cell.clear();
      } else if (c == '\n') {
        break;
      } else if (c != '\r') {
        cell += c;
      }
    }
    if (quoted) return At(record.line, "a quote is not closed");
    record.cells.push_back(Trimmed(cell));
    for (const std::string& one : record.cells) {
      if (std::any_of(one.begin(), one.end(),
                      [](unsigned char c) { return c < ' ' && c != '\n'; })) {
        return At(record.line, "control characters: expected text");
      }
    }
    return record;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

bool IsSkipped(const Record& record) {
  const bool empty =
      std::all_of(record.cells.begin(), record.cells.end(),
                  [](const std::string& cell) { return cell.empty(); });
  return empty || record.cells.front().starts_with('#');
}

absl::Status CheckHeadings(const Record& record,
                           const std::vector<std::string>& headings) {
  std::set<std::string> once;
  for (const std::string& heading : headings) {
    if (heading.empty()) return At(record.line, "a heading is empty");
    if (!once.insert(heading).second) {
      return At(record.line,
                absl::StrCat("heading \"", heading, "\" is there twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const std::string& CsvRow::Get(const std::string& heading) const {
  static const std::string empty;
  const auto found = cells.find(heading);
  return found == cells.end() ? empty : found->second;
}

absl::StatusOr<CsvTable> ReadCsv(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  CsvTable table;
  Reader reader(text);
  while (!reader.done()) {
    absl::StatusOr<Record> record = reader.Next();
    if (!record.ok()) return record.status();
    if (IsSkipped(*record)) continue;
    if (table.headings.empty()) {
      for (const std::string& cell : record->cells) {
        table.headings.push_back(absl::AsciiStrToLower(cell));
      }
      const absl::Status sound = CheckHeadings(*record, table.headings);
      if (!sound.ok()) return sound;
      continue;
    }
    if (record->cells.size() != table.headings.size()) {
      return At(record->line,
                absl::StrCat(record->cells.size(), " cells: expected ",
                             table.headings.size(), " as in the headings"));
    }
    CsvRow row{.line = record->line, .cells = {}};
    for (size_t i = 0; i < record->cells.size(); ++i) {
      row.cells[table.headings[i]] = std::move(record->cells[i]);
    }
    table.rows.push_back(std::move(row));
  }
  if (table.headings.empty()) {
    return MakePlainError(portal_messages::kNoHeadings);
  }
  return table;
}

}  // namespace carme::carmectl
