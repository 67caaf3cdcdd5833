// Maps a struct to the columns of a table. The columns are declared once, by
// name and member; SELECT, INSERT and UPDATE take their lists from there, and
// rows are read and parameters bound in the same order:
//
//   const RowMapper<SessionRow>& SessionColumns() {
//     static const auto* const columns = new RowMapper<SessionRow>({
//         {"id", Member(&SessionRow::session, &Session::id)},
//         {"used_at", &SessionRow::used_at},
//     });
//     return *columns;
//   }
//
// Types of members: numbers, bool, enums, std::string, absl::Time
// (microseconds since 1970), StrongId, Blob, and std::optional of these (NULL).
// For other types and formats: the functions that return a Column.
#ifndef CARME_BACKEND_STORE_ROW_MAPPER_H_
#define CARME_BACKEND_STORE_ROW_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/ids.h"
#include "common/status.h"

namespace carme::backend {

// A column of type BLOB; std::string is TEXT.
struct Blob {
  std::string bytes;
};

// Read a column and bind a parameter. Reading fails with INTERNAL, an error of
// the database, if the column is NULL, of another type, or out of range.
absl::Status ReadColumn(const Statement& row, int column, int64_t* value);
absl::Status ReadColumn(const Statement& row, int column, bool* value);
absl::Status ReadColumn(const Statement& row, int column, std::string* value);
absl::Status ReadColumn(const Statement& row, int column, Blob* value);
absl::Status ReadColumn(const Statement& row, int column, absl::Time* value);
void BindColumn(Statement& statement, int index, int64_t value);
void BindColumn(Statement& statement, int index, const std::string& value);
void BindColumn(Statement& statement, int index, const Blob& value);
void BindColumn(Statement& statement, int index, absl::Time value);

// The other integers, and enums.
template <typename T>
concept SmallInteger = (std::is_integral_v<T> && !std::is_same_v<T, int64_t> &&
                        !std::is_same_v<T, bool>) ||
                       std::is_enum_v<T>;

template <SmallInteger T>
absl::Status ReadColumn(const Statement& row, int column, T* value) {
  using Range = std::numeric_limits<typename std::conditional_t<
      std::is_enum_v<T>, std::underlying_type<T>, std::type_identity<T>>::type>;
  int64_t number = 0;
  RETURN_IF_ERROR(ReadColumn(row, column, &number));
  if (!std::in_range<decltype(Range::max())>(number)) {
    return row.ColumnError(column, "out of range");
  }
  *value = static_cast<T>(number);
  return absl::OkStatus();
}
template <typename T>
requires SmallInteger<T> || std::is_same_v<T, bool>
void BindColumn(Statement& statement, int index, T value) {
  BindColumn(statement, index, static_cast<int64_t>(value));
}

template <typename Tag, typename Value>
absl::Status ReadColumn(const Statement& row, int column,
                        StrongId<Tag, Value>* value) {
  Value plain{};
  RETURN_IF_ERROR(ReadColumn(row, column, &plain));
  *value = StrongId<Tag, Value>(std::move(plain));
  return absl::OkStatus();
}
template <typename Tag, typename Value>
void BindColumn(Statement& statement, int index,
                const StrongId<Tag, Value>& value) {
  BindColumn(statement, index, value.value());
}

template <typename T>
absl::Status ReadColumn(const Statement& row, int column,
                        std::optional<T>* value) {
  if (row.IsNull(column)) {
    value->reset();
    return absl::OkStatus();
  }
  return ReadColumn(row, column, &value->emplace());
}
template <typename T>
void BindColumn(Statement& statement, int index,
                const std::optional<T>& value) {
  if (value) {
    BindColumn(statement, index, *value);
  } else {
    statement.BindNull(index);
  }
}

// Accesses a member of a member: Member(&SessionRow::session, &Session::uid).
template <typename Outer, typename Inner>
auto Member(Outer outer, Inner inner) {
  return [outer, inner](auto& row) -> decltype(auto) {
    return std::invoke(inner, std::invoke(outer, row));
  };
}

// One column of a table whose rows are of type Row.
template <typename Row>
class Column {
 public:
  // `access`: a pointer to a member, or Member().
  template <typename Access>
  Column(std::string_view name, Access access)
      : Column(
            name,
            [access](const Statement& row, int column, Row* to) {
              return ReadColumn(row, column, &std::invoke(access, *to));
            },
            [access](Statement& statement, int index, const Row& from) {
              BindColumn(statement, index, std::invoke(access, from));
            }) {}

  using ReadFunction =
      std::function<absl::Status(const Statement& row, int column, Row* to)>;
  using BindFunction =
      std::function<void(Statement& statement, int index, const Row& from)>;
  Column(std::string_view name, ReadFunction read, BindFunction bind)
      : name_(name), read_(std::move(read)), bind_(std::move(bind)) {}

  // May also be an expression, in a mapper that only reads.
  const std::string& name() const { return name_; }
  absl::Status Read(const Statement& row, int column, Row* to) const {
    return read_(row, column, to);
  }
  void Bind(Statement& statement, int index, const Row& from) const {
    bind_(statement, index, from);
  }

 private:
  std::string name_;
  ReadFunction read_;
  BindFunction bind_;
};

// A column of the type Value, any of the above. `get` returns it from a const
// Row&; `set` (Value, Row*) stores it and may return an absl::Status.
template <typename Row, typename Value, typename Get, typename Set>
Column<Row> ConvertedColumn(std::string_view name, Get get, Set set) {
  return Column<Row>(
      name,
      [set](const Statement& row, int column, Row* to) -> absl::Status {
        Value value{};
        RETURN_IF_ERROR(ReadColumn(row, column, &value));
        if constexpr (std::is_void_v<std::invoke_result_t<Set, Value, Row*>>) {
          set(std::move(value), to);
          return absl::OkStatus();
        } else {
          return set(std::move(value), to);
        }
      },
      [get](Statement& statement, int index, const Row& from) {
        const Value value = get(from);
        BindColumn(statement, index, value);
      });
}

// A BLOB in a std::string. `access` as in Column.
template <typename Row, typename Access>
Column<Row> BlobColumn(std::string_view name, Access access) {
  return ConvertedColumn<Row, Blob>(
      name, [access](const Row& row) { return Blob{std::invoke(access, row)}; },
      [access](Blob blob, Row* row) {
        std::invoke(access, *row) = std::move(blob.bytes);
      });
}

// A std::vector<std::string> with a separator, which must not be in an item.
// `access` as in Column.
template <typename Row, typename Access>
Column<Row> ListColumn(std::string_view name, Access access, char separator) {
  return ConvertedColumn<Row, std::string>(
      name,
      [access, separator](const Row& row) {
        return absl::StrJoin(std::invoke(access, row),
                             std::string(1, separator));
      },
      [access, separator](const std::string& text, Row* row) {
        std::invoke(access, *row) = std::vector<std::string>(
            absl::StrSplit(text, separator, absl::SkipEmpty()));
      });
}

// An absl::Duration in whole microseconds. `access` as in Column.
template <typename Row, typename Access>
Column<Row> DurationColumn(std::string_view name, Access access) {
  return ConvertedColumn<Row, int64_t>(
      name,
      [access](const Row& row) {
        return absl::ToInt64Microseconds(std::invoke(access, row));
      },
      [access](int64_t micros, Row* row) {
        std::invoke(access, *row) = absl::Microseconds(micros);
      });
}

// Runs `sql` for each row with the parameters that `bind` (row, statement)
// sets, in one transaction.
template <typename Row, typename BindRow>
absl::Status WriteEach(Database& database, std::string_view sql,
                       const std::vector<Row>& rows, const BindRow& bind) {
  if (rows.empty()) return absl::OkStatus();
  return database.Transact([&](Database& db) -> absl::Status {
    for (const Row& row : rows) {
      ASSIGN_OR_RETURN(Statement write, db.Prepare(sql));
      bind(row, write);
      RETURN_IF_ERROR(write.Run());
    }
    return absl::OkStatus();
  });
}

// Immutable and thread-safe.
template <typename Row>
class RowMapper {
 public:
  explicit RowMapper(std::vector<Column<Row>> columns)
      : columns_(std::move(columns)) {
    for (const Column<Row>& column : columns_) {
      const std::string& name = column.name();
      const char* const comma = list_.empty() ? "" : ", ";
      list_.append(comma).append(name);
      parameters_.append(comma).append("?");
      assignments_.append(comma).append(name).append(" = ?");
      updates_.append(comma).append(name).append(" = excluded.").append(name);
    }
  }

  // "id, name": for SELECT and INSERT.
  const std::string& list() const { return list_; }
  // "?, ?": for INSERT.
  const std::string& parameters() const { return parameters_; }
  // "id = ?, name = ?": for UPDATE.
  const std::string& assignments() const { return assignments_; }
  // "id = excluded.id, name = excluded.name": for ON CONFLICT DO UPDATE.
  const std::string& updates() const { return updates_; }
  int size() const { return static_cast<int>(columns_.size()); }

  // "INSERT INTO table (id, name) VALUES (?, ?)".
  std::string InsertInto(std::string_view table) const {
    return std::string("INSERT INTO ")
        .append(table)
        .append(" (")
        .append(list_)
        .append(") VALUES (")
        .append(parameters_)
        .append(")");
  }

  // These columns alone, in this order. REQUIRES: each name is a column.
  RowMapper Only(std::initializer_list<std::string_view> names) const {
    std::vector<Column<Row>> some;
    for (const std::string_view name : names) {
      some.push_back(columns_.at(IndexOf(name)));
    }
    return RowMapper(std::move(some));
  }

  // Reads the columns from number `first` on.
  absl::Status ReadInto(const Statement& row, int first, Row* to) const {
    for (const Column<Row>& column : columns_) {
      RETURN_IF_ERROR(column.Read(row, first++, to));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Row> Read(const Statement& row) const {
    Row read{};
    RETURN_IF_ERROR(ReadInto(row, 0, &read));
    return read;
  }
  // Runs the statement and reads each row that it returns.
  absl::StatusOr<std::vector<Row>> ReadAll(Statement& rows) const {
    std::vector<Row> all;
    while (true) {
      ASSIGN_OR_RETURN(const bool found, rows.Step());
      if (!found) return all;
      ASSIGN_OR_RETURN(Row row, Read(rows));
      all.push_back(std::move(row));
    }
  }
  // Runs the statement up to its first row; nothing: there is none.
  absl::StatusOr<std::optional<Row>> ReadFirst(Statement& rows) const {
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (!found) return std::nullopt;
    ASSIGN_OR_RETURN(Row row, Read(rows));
    return std::optional<Row>(std::move(row));
  }

  // Binds the columns to the parameters from number `first` on; returns the
  // number of the next parameter.
  int Bind(Statement& statement, const Row& from, int first = 1) const {
    for (const Column<Row>& column : columns_) {
      column.Bind(statement, first++, from);
    }
    return first;
  }

 private:
  size_t IndexOf(std::string_view name) const {
    size_t index = 0;
    while (index < columns_.size() && columns_[index].name() != name) ++index;
    return index;
  }

  std::vector<Column<Row>> columns_;
  std::string list_, parameters_, assignments_, updates_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_ROW_MAPPER_H_
