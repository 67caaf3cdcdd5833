#include "backend/store/row_mapper.h"

namespace carme::backend {

absl::Status ReadColumn(const Statement& row, int column, int64_t* value) {
  if (row.Type(column) != ColumnType::kInteger) {
    return row.ColumnError(column, "expected an integer");
  }
  *value = row.Int(column);
  return absl::OkStatus();
}

absl::Status ReadColumn(const Statement& row, int column, bool* value) {
  int64_t number = 0;
  RETURN_IF_ERROR(ReadColumn(row, column, &number));
  if (number != 0 && number != 1) {
    return row.ColumnError(column, "expected 0 or 1");
  }
  *value = number == 1;
  return absl::OkStatus();
}

absl::Status ReadColumn(const Statement& row, int column, std::string* value) {
  if (row.Type(column) != ColumnType::kText) {
    return row.ColumnError(column, "expected a text");
  }
  *value = row.Text(column);
  return absl::OkStatus();
}

absl::Status ReadColumn(const Statement& row, int column, Blob* value) {
  if (row.Type(column) != ColumnType::kBlob) {
    return row.ColumnError(column, "expected a blob");
  }
  value->bytes = row.Blob(column);
  return absl::OkStatus();
}

absl::Status ReadColumn(const Statement& row, int column, absl::Time* value) {
  int64_t micros = 0;
  RETURN_IF_ERROR(ReadColumn(row, column, &micros));
  *value = absl::FromUnixMicros(micros);
  return absl::OkStatus();
}

void BindColumn(Statement& statement, int index, int64_t value) {
  statement.Bind(index, value);
}
void BindColumn(Statement& statement, int index, const std::string& value) {
  statement.Bind(index, value);
}
void BindColumn(Statement& statement, int index, const Blob& value) {
  statement.BindBlob(index, value.bytes);
}
void BindColumn(Statement& statement, int index, absl::Time value) {
  statement.Bind(index, absl::ToUnixMicros(value));
}

}  // namespace carme::backend
