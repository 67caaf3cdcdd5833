#include "backend/jobs/store/presets.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/store/messages.h"
#include "backend/store/row_mapper.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestName = 64;

const RowMapper<Preset>& PresetColumns() {
  static const auto* const columns = new RowMapper<Preset>({
      {"name", &Preset::name},
      ConvertedColumn<Preset, Blob>(
          "spec",
          [](const Preset& preset) { return Blob{SerializeSpec(preset.spec)}; },
          [](const Blob& blob, Preset* preset) -> absl::Status {
            ASSIGN_OR_RETURN(preset->spec, ParseSpec(blob.bytes));
            return absl::OkStatus();
          }),
  });
  return *columns;
}

absl::Status Check(const Preset& preset, const std::string& bytes) {
  const std::optional<size_t> length =
      IsUtf8(preset.name) ? PrintableLength(preset.name) : std::nullopt;
  if (!length || *length == 0 || *length > kLongestName ||
      preset.name.find_first_not_of(' ') == std::string::npos) {
    return MakeError(job_store_messages::kInvalidPresetName,
                     {{"max", kLongestName}});
  }
  if (!preset.spec.builds.empty() || !preset.spec.linked_to.empty()) {
    return MakeError(job_store_messages::kInvalidPresetSpec);
  }
  if (bytes.size() > Presets::kLongestSpec) {
    return MakeError(job_store_messages::kPresetTooLong,
                     {{"bytes", bytes.size()}, {"max", Presets::kLongestSpec}});
  }
  return absl::OkStatus();
}

// Presets with other names.
absl::StatusOr<size_t> CountOthers(Database& db, Uid uid,
                                   const std::string& name) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT count(*) FROM presets WHERE uid=?1 AND name<>?2"));
  RETURN_IF_ERROR(
      row.Bind(1, int64_t{uid.value()}).Bind(2, name).Step().status());
  return static_cast<size_t>(row.Int(0));
}

}  // namespace

absl::StatusOr<std::vector<Preset>> Presets::Of(Uid uid) {
  std::vector<Preset> presets;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        db.Prepare(absl::StrCat("SELECT ", PresetColumns().list(),
                                " FROM presets WHERE uid=?1 ORDER BY name")));
    rows.Bind(1, int64_t{uid.value()});
    ASSIGN_OR_RETURN(presets, PresetColumns().ReadAll(rows));
    return absl::OkStatus();
  }));
  return presets;
}

absl::Status Presets::Save(Uid uid, const Preset& preset) {
  const std::string bytes = SerializeSpec(preset.spec);
  RETURN_IF_ERROR(Check(preset, bytes));
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const size_t others, CountOthers(db, uid, preset.name));
    if (others >= kMaxPresets) {
      return MakeError(job_store_messages::kTooManyPresets,
                       {{"presets", others}, {"max", kMaxPresets}});
    }
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO presets (uid, name, spec) VALUES (?1,?2,?3) "
                   "ON CONFLICT (uid, name) DO UPDATE SET spec=?3"));
    return write.Bind(1, int64_t{uid.value()})
        .Bind(2, preset.name)
        .BindBlob(3, bytes)
        .Run();
  });
}

absl::Status Presets::Delete(Uid uid, const std::string& name) {
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("DELETE FROM presets WHERE uid=?1 AND name=?2"));
    return write.Bind(1, int64_t{uid.value()}).Bind(2, name).Run();
  });
}

}  // namespace carme::backend
