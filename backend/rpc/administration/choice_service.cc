#include "backend/rpc/administration/choice_service.h"

#include <grpcpp/server_context.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/session.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/administration/choices.h"
#include "backend/rpc/administration/messages.h"
#include "backend/rpc/convert/paging.h"
#include "carme/v1/choice.grpc.pb.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxChoices = 50;
// Searches in the directory that run at the same time.
constexpr int kMaxSearches = 8;
constexpr int kMaxSearchesPerUser = 3;

class ChoiceService : public v1::ChoiceService::Service {
 public:
  explicit ChoiceService(const ChoiceServiceParts& parts) : parts_(parts) {}

  grpc::Status GetChoices(grpc::ServerContext* context,
                          const v1::GetChoicesRequest* request,
                          v1::GetChoicesResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status sound = CheckSearch("text", request->text());
    if (!sound.ok()) return ToGrpc(sound);
    const absl::StatusOr<ChoiceList> found =
        Find(caller.session, request->kind(), request->text());
    if (!found.ok())
      return ToGrpc(ClientError(found.status(), caller, "names"));
    for (const ChoiceName& name : found->names) {
      v1::Choice* choice = response->add_choices();
      choice->set_value(name.value);
      choice->set_label(name.label);
    }
    response->set_more(found->more);
    response->set_complete(found->complete);
    return grpc::Status::OK;
  }

 private:
  absl::StatusOr<ChoiceList> Find(const Session& caller, v1::ChoiceKind kind,
                                  const std::string& text) {
    switch (kind) {
      case v1::CHOICE_KIND_PARTITION:
      case v1::CHOICE_KIND_QOS:
      case v1::CHOICE_KIND_ACCOUNT:
      case v1::CHOICE_KIND_RESERVATION:
      case v1::CHOICE_KIND_GPU_TYPE:
        return Matching(ChoicesOfSlurm(*parts_.scheduler->Snapshot(), kind),
                        text, kMaxChoices);
      case v1::CHOICE_KIND_USER:
      case v1::CHOICE_KIND_GROUP:
        return SearchDirectory(caller, kind, text);
      case v1::CHOICE_KIND_PROJECT:
        return FindProjects(caller, text);
      case v1::CHOICE_KIND_IMAGE:
        return FindImages(caller, text);
      default:
        return MakeError(rpc_administration_messages::kChoiceKindInvalid);
    }
  }

  absl::StatusOr<ChoiceList> SearchDirectory(const Session& caller,
                                             v1::ChoiceKind kind,
                                             const std::string& text) {
    const auto slot = searches_.TryAcquire(caller.uid);
    if (!slot.acquired()) {
      return MakeError(rpc_administration_messages::kTooManySearches);
    }
    ASSIGN_OR_RETURN(const DirectoryNames found,
                     kind == v1::CHOICE_KIND_USER
                         ? parts_.directory->SearchUsers(text, kMaxChoices)
                         : parts_.directory->SearchGroups(text, kMaxChoices));
    ChoiceList list{.more = found.more};
    for (const DirectoryName& name : found.names) {
      list.names.push_back({.value = name.name, .label = name.display_name});
    }
    const bool exact = MoveToFront(text, &list.names);
    list.complete = exact || !found.more;
    return list;
  }

  // Jobs in closed projects do not start.
  absl::StatusOr<ChoiceList> FindProjects(const Session& caller,
                                          const std::string& text) {
    ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                     parts_.projects->RowsOf(caller.uid, true));
    ChoiceList all{.complete = true};
    for (const ProjectRow& row : rows) {
      if (row.project.state == v1::PROJECT_STATE_CLOSED) continue;
      all.names.push_back({.value = row.project.id.value(),
                           .label = row.project.settings.name});
    }
    return Matching(all, text, kMaxChoices);
  }

  ChoiceList FindImages(const Session& caller, const std::string& text) {
    ChoiceList all{.complete = true};
    for (const ImageCatalogue::Shown& shown :
         parts_.images->List(PersonOf(caller))) {
      all.names.push_back({.value = shown.record.image.id,
                           .label = shown.record.image.description});
    }
    return Matching(all, text, kMaxChoices);
  }

  const ChoiceServiceParts parts_;
  ConcurrencyLimiter<Uid> searches_{kMaxSearches, kMaxSearchesPerUser};
};

}  // namespace

std::unique_ptr<grpc::Service> NewChoiceService(
    const ChoiceServiceParts& parts) {
  return std::make_unique<ChoiceService>(parts);
}

}  // namespace carme::backend
