#include "frontend/gateway/method_table.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "carme/v1/access.pb.h"
#include "common/status.h"

namespace carme::frontend {
namespace {

const google::protobuf::Message* PrototypeOf(
    const google::protobuf::Descriptor* type) {
  return google::protobuf::MessageFactory::generated_factory()->GetPrototype(
      type);
}

// Whether a field of the message, or of one within it, goes into the cookie.
bool HasSessionField(const google::protobuf::Descriptor& type,
                     std::set<const google::protobuf::Descriptor*>* seen) {
  if (!seen->insert(&type).second) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *type.field(i);
    if (field.options().GetExtension(v1::session_cookie)) return true;
    if (field.message_type() != nullptr &&
        HasSessionField(*field.message_type(), seen)) {
      return true;
    }
  }
  return false;
}

bool Reads(const google::protobuf::MethodDescriptor& rpc,
           const v1::Access& access) {
  const std::string_view name = rpc.name();
  if (!name.starts_with("Get") && !name.starts_with("List")) return false;
  std::set<const google::protobuf::Descriptor*> seen;
  return !rpc.server_streaming() && !access.ends_session() &&
         !access.requires_reauthentication() &&
         !HasSessionField(*rpc.output_type(), &seen);
}

absl::Status Wrong(const google::protobuf::MethodDescriptor& rpc,
                   const char* what) {
  return absl::InvalidArgumentError(
      absl::StrCat("rpc \"", rpc.full_name(), "\" ", what));
}

}  // namespace

absl::StatusOr<MethodTable> MethodTable::New(
    const std::vector<const google::protobuf::FileDescriptor*>& files) {
  MethodTable table;
  for (const google::protobuf::FileDescriptor* file : files) {
    for (int i = 0; i < file->service_count(); ++i) {
      const google::protobuf::ServiceDescriptor& service = *file->service(i);
      for (int j = 0; j < service.method_count(); ++j) {
        RETURN_IF_ERROR(table.Add(*service.method(j)));
      }
    }
  }
  return table;
}

absl::Status MethodTable::Add(const google::protobuf::MethodDescriptor& rpc) {
  const v1::Access& access = rpc.options().GetExtension(v1::access);
  if (access.caller() == v1::CALLER_UNSPECIFIED) {
    return Wrong(rpc, "has no option (access)");
  }
  if (!access.browser()) return absl::OkStatus();
  if (access.caller() == v1::CALLER_PROXY ||
      access.caller() == v1::CALLER_AGENT ||
      access.caller() == v1::CALLER_BACKEND ||
      access.caller() == v1::CALLER_JOB ||
      access.caller() == v1::CALLER_METRICS) {
    return Wrong(rpc, "is for browsers: expected a user as its caller");
  }
  if (rpc.client_streaming()) {
    return Wrong(rpc, "is for browsers: expected a single request message");
  }
  Method method;
  method.path = absl::StrCat("/", rpc.service()->full_name(), "/", rpc.name());
  method.streams = rpc.server_streaming();
  method.needs_session = access.caller() != v1::CALLER_PUBLIC;
  method.ends_session = access.ends_session();
  method.identity = access.identity();
  method.metrics = rpc.service()->full_name() == "carme.v1.MetricsService";
  // Metrics may be large, and a batch keeps several responses in memory.
  method.reads = !method.metrics && Reads(rpc, access);
  method.request = PrototypeOf(rpc.input_type());
  method.response = PrototypeOf(rpc.output_type());
  std::string path = method.path;
  methods_.emplace(std::move(path), std::move(method));
  return absl::OkStatus();
}

const Method* MethodTable::Find(std::string_view path) const {
  const auto found = methods_.find(std::string(path));
  return found == methods_.end() ? nullptr : &found->second;
}

}  // namespace carme::frontend
