// Everything that the root programs' processes parse: frames, requests,
// commits, executor requests, storage users and reports of children. Whatever
// is accepted must be within the bounds that the rest of the program relies on.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/privileged/impersonator/operations/job_script.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/protocol/exec_request.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/server/commit.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/protocol/request_fields.h"
#include "backend/privileged/storage/areas.h"
#include "backend/privileged/storage/figures.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/ids.h"
#include "common/log.h"

namespace impersonator = carme::impersonator;
namespace storage_reader = carme::storage_reader;

namespace {

// protobuf would log every string that is not UTF-8.
[[maybe_unused]] const auto silenced = google::protobuf::SetLogHandler(nullptr);

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckSubmit(const carme::privileged::v1::Submit& submit) {
  Require(carme::IsJobId(submit.carme_job_id()));
  Require(submit.cpus_per_node() > 0 && submit.cpus_per_node() < 65536);
  Require(submit.memory_per_node_mib() > 0);
  Require(submit.walltime_min() > 0 && submit.nodes() > 0);
  for (const std::string& text :
       {submit.name(), submit.partition(), submit.gpu_type()}) {
    Require(text.find_first_of(std::string_view("\0\n\r\x1b", 4)) ==
            std::string::npos);
  }
  Require(submit.partition().find_first_of(",;:= /$") == std::string::npos);
  Require(submit.gpu_type().find_first_of(",;:= /$") == std::string::npos);
}

void CheckReadLog(const carme::privileged::v1::ReadLog& read) {
  Require(!read.has_task() || read.app().empty());
  const std::string name =
      read.has_task()
          ? impersonator::JobLogName(read.carme_job_id(), "", read.task())
          : impersonator::JobLogName(read.carme_job_id(), read.app());
  Require(name.size() <= 16 + 1 + 32 + 4);
  Require(name.find('/') == std::string::npos && name[0] != '.');
  Require(read.max_bytes() >= 1 && read.max_bytes() <= 65536);
}

void CheckRequest(const carme::privileged::v1::Request& request) {
  // The audit line must stay a single line.
  const std::string line = carme::FormatLogLine(
      "audit", "operation",
      {{"request", request.request_id()},
       {"user", request.user()},
       {"object", impersonator::OperationFor(request).object(request)}});
  Require(line.find_first_of("\"\n\r") == std::string::npos);
  if (request.has_submit()) CheckSubmit(request.submit());
  if (request.has_estimate_start()) CheckSubmit(request.estimate_start());
  if (request.has_read_log()) CheckReadLog(request.read_log());
  // An accepted request must survive the way to the executor.
  const std::string bytes = impersonator::EncodeExecRequest(
      request.user(), carme::Uid(request.uid()), request.SerializeAsString());
  const auto exec = impersonator::DecodeExecRequest(bytes);
  Require(exec.ok() && exec->user == request.user() &&
          exec->uid.value() == request.uid());
  Require(impersonator::ParseRequest(exec->request).ok());
}

// The output of a site's program, and the message to the storage reader.
void CheckStorage(std::string_view bytes) {
  using Format = storage_reader::StorageAreaConfig::Format;
  for (const Format format : {Format::kPlain, Format::kBeegfs}) {
    carme::privileged::v1::StorageArea area;
    if (!storage_reader::FillFromOutput(bytes, format, 20001, &area).ok())
      continue;
    Require(area.grace_ends_unix_s() >= 0);
  }
  if (const auto request = storage_reader::ParseStorageRequest(bytes);
      request.ok()) {
    Require(carme::IsUserName(request->user()));
    // No request of the impersonator, which has an operation.
    Require(!impersonator::ParseRequest(bytes).ok());
  }
  const auto user = storage_reader::DecodeStorageUser(bytes);
  if (user.ok()) Require(storage_reader::EncodeStorageUser(*user) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto length = carme::FrameLength(bytes); length.ok()) {
    Require(*length >= 1 && *length <= carme::kMaxFrameBytes);
  }
  if (const auto request = impersonator::ParseRequest(bytes); request.ok()) {
    CheckRequest(*request);
  }
  Require(!impersonator::IsCommit(bytes, "another") ||
          !impersonator::IsCommit(bytes, "one"));
  if (const auto exec = impersonator::DecodeExecRequest(bytes); exec.ok()) {
    Require(carme::IsUserName(exec->user));
    Require(exec->request.size() < bytes.size());
    const auto request = impersonator::ParseRequest(exec->request);
    if (request.ok()) CheckRequest(*request);
  }
  CheckStorage(bytes);
  const carme::ChildReport report = carme::ReadReport(bytes);
  Require(report.response.size() <= carme::kMaxReportBytes &&
          report.response.size() <= bytes.size());
  carme::privileged::v1::Response response;
  if (report.responded) response.ParseFromString(report.response);
  return 0;
}
