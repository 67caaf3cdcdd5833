#include <grpcpp/server_context.h>

#include <memory>
#include <string>

#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/store/presets.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/preset.grpc.pb.h"
#include "common/grpc/grpc_status.h"

namespace carme::backend {
namespace {

class PresetService : public v1::PresetService::Service {
 public:
  explicit PresetService(Presets* presets) : presets_(*presets) {}

  grpc::Status ListPresets(grpc::ServerContext* context,
                           const v1::ListPresetsRequest* request,
                           v1::ListPresetsResponse* response) override {
    const Caller caller = CallerOf(*context);
    auto presets = presets_.Of(caller.session.uid);
    if (!presets.ok())
      return ToGrpc(ClientError(presets.status(), caller, "presets"));
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &*presets);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const Preset& preset : *presets) {
      v1::Preset* row = response->add_presets();
      row->set_name(preset.name);
      Fill(preset.spec, row->mutable_spec());
    }
    return grpc::Status::OK;
  }

  grpc::Status SavePreset(grpc::ServerContext* context,
                          const v1::SavePresetRequest* request,
                          v1::SavePresetResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const v1::Preset& preset = request->preset();
    const absl::Status saved = presets_.Save(
        caller.session.uid, {preset.name(), SpecOf(preset.spec())});
    return ToGrpc(ClientError(saved, caller, "presets"));
  }

  grpc::Status DeletePreset(grpc::ServerContext* context,
                            const v1::DeletePresetRequest* request,
                            v1::DeletePresetResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    return ToGrpc(
        ClientError(presets_.Delete(caller.session.uid, request->name()),
                    caller, "presets"));
  }

 private:
  Presets& presets_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewPresetService(Presets* presets) {
  return std::make_unique<PresetService>(presets);
}

}  // namespace carme::backend
