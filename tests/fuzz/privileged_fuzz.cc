// All that the impersonator's processes hear: a frame, a request, a go, an
// order, an actor's report. What comes through is within every bound that the
// rest of the program relies on.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/privileged/acts.h"
#include "backend/privileged/child.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/go.h"
#include "backend/privileged/job_script.h"
#include "backend/privileged/order.h"
#include "backend/privileged/request.h"
#include "backend/privileged/storage_areas.h"
#include "backend/privileged/storage_figures.h"
#include "common/ids.h"
#include "common/log.h"

namespace {

// About every string that is not UTF-8 there would be a line.
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
      read.has_task() ? carme::JobLogName(read.carme_job_id(), "", read.task())
                      : carme::JobLogName(read.carme_job_id(), read.app());
  Require(name.size() <= 16 + 1 + 32 + 4);
  Require(name.find('/') == std::string::npos && name[0] != '.');
  Require(read.max_bytes() >= 1 && read.max_bytes() <= 65536);
}

void CheckRequest(const carme::privileged::v1::Request& request) {
  // The audit line stays one line.
  const std::string line = carme::FormatLogLine(
      "audit", "act",
      {{"request", request.request_id()},
       {"user", request.user()},
       {"object", carme::OperationOf(request).object(request)}});
  Require(line.find_first_of("\"\n\r") == std::string::npos);
  if (request.has_submit()) CheckSubmit(request.submit());
  if (request.has_foresee()) CheckSubmit(request.foresee());
  if (request.has_read_log()) CheckReadLog(request.read_log());
  // What was let through makes an order that is understood.
  const std::string bytes = carme::EncodeOrder(
      request.user(), carme::Uid(request.uid()), request.SerializeAsString());
  const auto order = carme::DecodeOrder(bytes);
  Require(order.ok() && order->user == request.user() &&
          order->uid.value() == request.uid());
  Require(carme::ParseRequest(order->request).ok());
}

// What a program of the site's says, and whom the actor names to the reader.
void CheckStorage(std::string_view bytes) {
  using Format = carme::StorageAreaConfig::Format;
  for (const Format format : {Format::kPlain, Format::kBeegfs}) {
    carme::privileged::v1::StorageArea area;
    if (!carme::FillFromOutput(bytes, format, 20001, &area).ok()) continue;
    Require(area.grace_ends_unix_s() >= 0);
  }
  const auto user = carme::DecodeStorageUser(bytes);
  if (user.ok()) Require(carme::EncodeStorageUser(*user) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto length = carme::FrameLength(bytes); length.ok()) {
    Require(*length >= 1 && *length <= carme::kMostFrameBytes);
  }
  if (const auto request = carme::ParseRequest(bytes); request.ok()) {
    CheckRequest(*request);
  }
  Require(!carme::IsGo(bytes, "another") || !carme::IsGo(bytes, "one"));
  if (const auto order = carme::DecodeOrder(bytes); order.ok()) {
    Require(carme::IsUserName(order->user));
    Require(order->request.size() < bytes.size());
    const auto request = carme::ParseRequest(order->request);
    if (request.ok()) CheckRequest(*request);
  }
  CheckStorage(bytes);
  const carme::ChildReport report = carme::ReadReport(bytes);
  Require(report.answer.size() <= carme::kMostAnswerBytes &&
          report.answer.size() <= bytes.size());
  carme::privileged::v1::Response response;
  if (report.answered) response.ParseFromString(report.answer);
  return 0;
}
