// The service that previews the start form, beside those of the user's own
// calls and of the calls that save limits and templates.
#ifndef CARME_TESTS_BACKEND_RPC_ADMINISTRATION_PREVIEW_CALLS_H_
#define CARME_TESTS_BACKEND_RPC_ADMINISTRATION_PREVIEW_CALLS_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/rpc/administration/user_preview_service.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/user_preview.grpc.pb.h"
#include "common/status.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

class PreviewCalls : public JobCalls {
 public:
  PreviewCalls() {
    ServiceMap services;
    services["user previews"] =
        NewUserPreviewService({.database = database_.get(),
                               .persons = &directory_,
                               .scheduler = &slurm_,
                               .jobs = jobs_.get(),
                               .projects = projects_,
                               .templates = templates_,
                               .quotas = quotas_,
                               .reservations = &resources_->reservations,
                               .environments = environments_,
                               .audit = audit_.get()});
    services["cluster"] = NewClusterService(&slurm_, jobs_.get());
    services["limit"] =
        NewLimitService({quotas_, projects_, &slurm_, audit_.get()});
    services["template"] =
        NewTemplateService(templates_, &slurm_, audit_.get());
    services["project"] = NewProjectService(projects_, audit_.get());
    server_ = std::make_unique<GuardedServer>(&sessions_, std::move(services));
    channel_ = AsFrontend();
    stub_ = v1::UserPreviewService::NewStub(channel_);
  }

  grpc::StatusCode Preview(const std::string& caller,
                           const std::string& username,
                           v1::PreviewStartFormRequest request = {}) {
    CallBy call(caller);
    request.set_username(username);
    seen_.Clear();
    status_ = stub_->PreviewStartForm(&call, request, &seen_);
    return status_.error_code();
  }
  JobTemplate Add(const JobTemplate& settings, const std::string& project,
                  bool attached = true) {
    const TemplateRecord record = templates_->Create(settings).value();
    const std::string& id = record.job_template.id;
    if (attached) REQUIRE_THAT(templates_->Attach(id, project, true), IsOk());
    return record.job_template;
  }
  // The check of a project and a template.
  const v1::StartCheck& Check(const std::string& project,
                              const std::string& job_template) {
    for (const v1::StartCheck& check : seen_.checks()) {
      if (check.project() == project && check.template_() == job_template) {
        return check;
      }
    }
    FAIL("no such check");
    return v1::StartCheck::default_instance();
  }
  int64_t Rows(const std::string& table) {
    int64_t rows = -1;
    REQUIRE_THAT(database_->Query([&](Database& db) -> absl::Status {
      ASSIGN_OR_RETURN(Statement read, db.Prepare(absl::StrCat(
                                           "SELECT count(*) FROM ", table)));
      ASSIGN_OR_RETURN(const bool found, read.Step());
      if (found) rows = read.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return rows;
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::UserPreviewService::Stub> stub_;
  grpc::Status status_;
  v1::PreviewStartFormResponse seen_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_ADMINISTRATION_PREVIEW_CALLS_H_
