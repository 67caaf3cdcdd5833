// The column of a text's code (common/display_text.h), beside that of the text.
#ifndef CARME_BACKEND_STORE_TEXT_CODE_COLUMN_H_
#define CARME_BACKEND_STORE_TEXT_CODE_COLUMN_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "backend/store/row_mapper.h"
#include "common/display_text.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {

// A BLOB. REQUIRES: the column of the text comes before.
template <typename Row>
Column<Row> TextCodeColumn(const char* name, DisplayText Row::*member) {
  return ConvertedColumn<Row, Blob>(
      name,
      [member](const Row& row) { return Blob{SerializeTextCode(row.*member)}; },
      [member](const Blob& blob, Row* row) {
        DisplayText& text = row->*member;
        text = ParseDisplayText(std::move(text.text), blob.bytes);
        return absl::OkStatus();
      });
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_TEXT_CODE_COLUMN_H_
