#include "tests/backend/privileged/impersonator_process.h"

#include <catch2/catch.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/valid_request.h"

namespace carme::impersonator {
namespace {

constexpr char kAgent[] =
    "#!/bin/sh\n"
    "id -un\n"
    "env\n"
    "exec sleep 300\n";

}  // namespace

ImpersonatorProcess::ImpersonatorProcess(const std::string& settings, Ways ways)
    : RootProgramProcess(CARME_IMPERSONATOR, std::move(ways)) {
  REQUIRE(WriteFile(dir().File("agent"), kAgent, 0755).ok());
  Start(settings,
        {absl::StrCat("socket = \"", socket(), "\""), "peer_user = \"carme\"",
         absl::StrCat("agent = \"", dir().File("agent"), "\""),
         "allowed_group = \"carme-users\""});
}

privileged::v1::Response ImpersonatorProcess::Exchange(
    const std::string& bytes, absl::Duration timeout) const {
  privileged::v1::Response response;
  const auto answer = ExchangeBytes(bytes, timeout);
  if (answer.ok()) REQUIRE(response.ParseFromString(*answer));
  return response;
}

privileged::v1::Response ImpersonatorProcess::Ask(
    const privileged::v1::Request& request) const {
  return Exchange(BytesOf(request));
}

privileged::v1::Response ImpersonatorProcess::Submit(
    const std::string& user, uid_t uid, std::string* carme_id) const {
  privileged::v1::Request request = ValidSubmit();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_submit()->set_carme_job_id(NewJobId().value());
  if (carme_id != nullptr) *carme_id = request.submit().carme_job_id();
  return Ask(request);
}

std::string BytesOf(const privileged::v1::Request& request) {
  std::string bytes = EncodeFrame(request.SerializeAsString());
  if (!request.has_submit()) return bytes;
  privileged::v1::Commit commit;
  commit.set_carme_job_id(request.submit().carme_job_id());
  return bytes + EncodeFrame(commit.SerializeAsString());
}

EndJobs::~EndJobs() {
  OutputOf("squeue -h -o %A | xargs -r scancel -f 2>&1");
  WaitFor([] { return OutputOf("squeue -h").empty(); });
}

}  // namespace carme::impersonator
