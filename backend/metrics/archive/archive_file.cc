#include "backend/metrics/archive/archive_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <zstd.h>

#include <limits>
#include <memory>
#include <optional>

#include "backend/metrics/archive/messages.h"
#include "backend/metrics/archive/zstd_input.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using google::protobuf::io::ZeroCopyInputStream;

constexpr int kCompressionLevel = 3;
// Of a name or a field that is not a series: a damaged length reserves no more.
constexpr uint32_t kMaxFieldBytes = 64 << 20;
// The lowest bits of a tag in the encoding of Protocol Buffers.
constexpr uint32_t kWireTypeMask = 7;
constexpr uint32_t kVarint = 0;
constexpr uint32_t kLengthDelimited = 2;

constexpr uint32_t LengthDelimitedTag(int field) {
  return static_cast<uint32_t>(field) << 3 | kLengthDelimited;
}
constexpr uint32_t kSeriesTag =
    LengthDelimitedTag(archive::v1::JobArchive::kSeriesFieldNumber);
constexpr uint32_t kNameTag =
    LengthDelimitedTag(archive::v1::ArchivedSeries::kNameFieldNumber);

absl::Status Corrupt(const std::string& job, std::string_view cause) {
  return MakeError(archive_messages::kCorrupt,
                   {{"job", job}, {"cause", cause}});
}

void AppendFrame(const archive::v1::JobArchive& part, std::string* bytes) {
  const std::string text = part.SerializeAsString();
  const size_t begin = bytes->size();
  bytes->resize(begin + ZSTD_compressBound(text.size()));
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                         kCompressionLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const size_t size =
      ZSTD_compress2(context.get(), bytes->data() + begin,
                     bytes->size() - begin, text.data(), text.size());
  // Cannot fail: the bound is kept.
  bytes->resize(begin + (ZSTD_isError(size) != 0 ? 0 : size));
}

// Parses a JobArchive field by field: series that are not selected are skipped
// and not held in memory.
class ArchiveParser {
 public:
  ArchiveParser(ZeroCopyInputStream* text,
                absl::FunctionRef<bool(std::string_view)> keeps)
      : input_(text), keeps_(keeps) {
    input_.SetTotalBytesLimit(static_cast<int>(kMaxDecodedArchiveBytes));
  }

  // False: no message.
  bool Parse() {
    {
      StringOutputStream output(&others_);
      CodedOutputStream others(&output);
      while (const uint32_t tag = input_.ReadTag()) {
        if (!(tag == kSeriesTag ? ReadSeries() : CopyField(tag, &others))) {
          return false;
        }
      }
    }
    return input_.ConsumedEntireMessage() && archive_.MergeFromString(others_);
  }

  archive::v1::JobArchive& archive() { return archive_; }
  int64_t series_read() const { return series_read_; }

 private:
  bool CopyField(uint32_t tag, CodedOutputStream* others) {
    others->WriteTag(tag);
    if ((tag & kWireTypeMask) == kVarint) {
      uint64_t value = 0;
      if (!input_.ReadVarint64(&value)) return false;
      others->WriteVarint64(value);
      return true;
    }
    uint32_t size = 0;
    std::string value;
    if ((tag & kWireTypeMask) != kLengthDelimited ||
        !input_.ReadVarint32(&size) || size > kMaxFieldBytes ||
        !input_.ReadString(&value, static_cast<int>(size))) {
      return false;
    }
    others->WriteVarint32(size);
    others->WriteString(value);
    return true;
  }

  bool ReadSeries() {
    uint32_t size = 0;
    if (!input_.ReadVarint32(&size) || size > std::numeric_limits<int>::max()) {
      return false;
    }
    ++series_read_;
    const CodedInputStream::Limit limit =
        input_.PushLimit(static_cast<int>(size));
    const std::optional<std::string> name = ReadName();
    if (!name.has_value()) return false;
    if (keeps_(*name)) {
      archive::v1::ArchivedSeries* series = archive_.add_series();
      series->set_name(*name);
      if (!series->MergeFromCodedStream(&input_) ||
          input_.BytesUntilLimit() != 0) {
        return false;
      }
    } else if (!input_.Skip(input_.BytesUntilLimit())) {
      return false;
    }
    input_.PopLimit(limit);
    return true;
  }

  // It is the first field of a series.
  std::optional<std::string> ReadName() {
    uint32_t size = 0;
    std::string name;
    if (input_.ReadTag() != kNameTag || !input_.ReadVarint32(&size) ||
        size > kMaxFieldBytes ||
        !input_.ReadString(&name, static_cast<int>(size))) {
      return std::nullopt;
    }
    return name;
  }

  CodedInputStream input_;
  const absl::FunctionRef<bool(std::string_view)> keeps_;
  archive::v1::JobArchive archive_;
  std::string others_;  // the fields that are not series
  int64_t series_read_ = 0;
};

absl::StatusOr<archive::v1::JobArchive> Decode(
    const std::string& job, ZeroCopyInputStream* file, ZstdInput::Frames frames,
    absl::FunctionRef<bool(std::string_view)> keeps) {
  ZstdInput text(file, frames);
  ArchiveParser parser(&text, keeps);
  const bool is_message = parser.Parse();
  if (text.ByteCount() >= static_cast<int64_t>(kMaxDecodedArchiveBytes)) {
    return MakeError(archive_messages::kTooLarge,
                     {{"job", job}, {"max", kMaxDecodedArchiveBytes}});
  }
  if (!text.IsComplete()) {
    return Corrupt(job, "a zstd frame is damaged or incomplete");
  }
  if (!is_message) return Corrupt(job, "no JobArchive");
  archive::v1::JobArchive& archive = parser.archive();
  if (archive.schema() > kArchiveSchema) {
    return MakeError(archive_messages::kNewer,
                     {{"job", job}, {"schema", archive.schema()}});
  }
  if (archive.schema() == 0 || archive.job().job_id() != job) {
    return Corrupt(job, "it is of another job");
  }
  if (frames == ZstdInput::Frames::kAll && archive.has_series_count() &&
      archive.series_count() != parser.series_read()) {
    return Corrupt(job, "series are missing");
  }
  return std::move(archive);
}

}  // namespace

std::string EncodeArchive(archive::v1::JobArchive* archive) {
  archive::v1::JobArchive series;
  series.mutable_series()->Swap(archive->mutable_series());
  archive->set_series_count(static_cast<uint32_t>(series.series_size()));
  std::string bytes;
  AppendFrame(*archive, &bytes);
  AppendFrame(series, &bytes);
  series.mutable_series()->Swap(archive->mutable_series());
  return bytes;
}

absl::StatusOr<archive::v1::JobArchive> DecodeArchive(
    const std::string& job, ZeroCopyInputStream* file,
    absl::FunctionRef<bool(std::string_view)> keeps) {
  return Decode(job, file, ZstdInput::Frames::kAll, keeps);
}

absl::StatusOr<archive::v1::JobArchive> DecodeArchiveHead(
    const std::string& job, ZeroCopyInputStream* file) {
  return Decode(job, file, ZstdInput::Frames::kFirst,
                [](std::string_view) { return false; });
}

}  // namespace carme::metrics
