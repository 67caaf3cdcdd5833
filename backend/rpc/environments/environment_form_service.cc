#include "backend/rpc/environments/environment_form_service.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "carme/v1/environment_form.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {
namespace {

// Both responses have the same form and problems.
template <typename Response>
void FillForm(EnvironmentFormResult result, Response* response) {
  if (result.form) *response->mutable_form() = *std::move(result.form);
  for (const EdfProblem& problem : result.problems.list()) {
    v1::EnvironmentProblem* const row = response->add_problems();
    row->set_number(static_cast<int>(problem.number));
    row->set_line(problem.place.line);
    row->set_text(ValidUtf8(problem.text.text));
    FillTextCode(problem.text, &v1::EnvironmentProblem::mutable_text_code, row);
  }
}

class EnvironmentFormService : public v1::EnvironmentFormService::Service {
 public:
  explicit EnvironmentFormService(Environments* environments)
      : environments_(*environments) {}

  grpc::Status ReadEnvironmentForm(
      grpc::ServerContext* context,
      const v1::ReadEnvironmentFormRequest* request,
      v1::ReadEnvironmentFormResponse* response) override {
    const Caller caller = CallerOf(*context);
    absl::StatusOr<EnvironmentFormResult> result =
        environments_.ReadForm(caller.session, request->text());
    if (!result.ok()) {
      return ToGrpc(ClientError(result.status(), caller, "your environments"));
    }
    FillForm(*std::move(result), response);
    return grpc::Status::OK;
  }

  grpc::Status WriteEnvironmentForm(
      grpc::ServerContext* context,
      const v1::WriteEnvironmentFormRequest* request,
      v1::WriteEnvironmentFormResponse* response) override {
    const Caller caller = CallerOf(*context);
    absl::StatusOr<EnvironmentFormResult> result = environments_.WriteForm(
        caller.session, request->text(), request->before(), request->after());
    if (!result.ok()) {
      return ToGrpc(ClientError(result.status(), caller, "your environments"));
    }
    response->set_text(result->text);
    FillForm(*std::move(result), response);
    return grpc::Status::OK;
  }

 private:
  Environments& environments_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewEnvironmentFormService(
    Environments* environments) {
  return std::make_unique<EnvironmentFormService>(environments);
}

}  // namespace carme::backend
