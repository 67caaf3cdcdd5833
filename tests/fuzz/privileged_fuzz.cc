// The impersonator's requests: what comes through is within every bound that
// the rest of the program relies on.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/privileged/acts.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/request.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto length = carme::FrameLength(bytes); length.ok()) {
    Require(*length >= 1 && *length <= carme::kMostFrameBytes);
  }
  const auto request = carme::ParseRequest(bytes);
  if (!request.ok()) return 0;
  // The audit line stays one line.
  const std::string line = carme::FormatLogLine(
      "audit", "act",
      {{"request", request->request_id()},
       {"user", request->user()},
       {"object", carme::OperationOf(*request).object(*request)}});
  Require(line.find_first_of("\"\n\r") == std::string::npos);
  if (request->has_submit()) CheckSubmit(request->submit());
  return 0;
}
