#include "frontend/gateway/session_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <vector>

#include "carme/v1/access.pb.h"

namespace carme::frontend {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void Take(Message* message, SessionFields* taken);

void TakeField(const FieldDescriptor* field, Message* message,
               SessionFields* taken) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const bool single = !field->is_repeated();
  if (field->options().GetExtension(v1::session_cookie)) {
    if (single && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      taken->token = reflection.GetString(*message, field);
    }
    reflection.ClearField(message, field);
    return;
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
  if (!single) {
    for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
      Take(reflection.MutableRepeatedMessage(message, field, i), taken);
    }
    return;
  }
  Message* inner = reflection.MutableMessage(message, field);
  const auto* time = dynamic_cast<const google::protobuf::Timestamp*>(inner);
  if (time != nullptr && field->options().GetExtension(v1::session_expiry)) {
    taken->expires_at = absl::FromUnixSeconds(time->seconds());
  }
  Take(inner, taken);
}

void Take(Message* message, SessionFields* taken) {
  std::vector<const FieldDescriptor*> present;
  message->GetReflection()->ListFields(*message, &present);
  for (const FieldDescriptor* field : present) {
    TakeField(field, message, taken);
  }
}

}  // namespace

SessionFields TakeSession(Message* response) {
  SessionFields taken;
  Take(response, &taken);
  return taken;
}

}  // namespace carme::frontend
