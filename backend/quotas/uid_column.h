// The column `uid` of the tables of limits and usage: -1 stands for no single
// user, which is kNoUid in C++.
#ifndef CARME_BACKEND_QUOTAS_UID_COLUMN_H_
#define CARME_BACKEND_QUOTAS_UID_COLUMN_H_

#include <cstdint>
#include <functional>

#include "backend/identity/session.h"
#include "backend/store/row_mapper.h"
#include "common/ids.h"

namespace carme::backend {

inline constexpr int64_t kNoUidColumn = -1;

inline int64_t UidColumnOf(Uid uid) {
  return uid == kNoUid ? kNoUidColumn : int64_t{uid.value()};
}

// `access` as in Column.
template <typename Row, typename Access>
Column<Row> UidColumn(const char* name, Access access) {
  return Column<Row>(
      name,
      [access](const Statement& row, int column, Row* to) -> absl::Status {
        Uid& uid = std::invoke(access, *to);
        uid = kNoUid;
        if (row.Int(column) == kNoUidColumn) return absl::OkStatus();
        return ReadColumn(row, column, &uid);
      },
      [access](Statement& statement, int index, const Row& from) {
        statement.Bind(index, UidColumnOf(std::invoke(access, from)));
      });
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_UID_COLUMN_H_
