#include "common/protobuf/request_digest.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

#include "common/crypto/hash.h"

namespace carme {

std::string RequestDigest(std::string_view method,
                          const google::protobuf::MessageLite& request) {
  std::string text(method);
  text.push_back('\0');
  {
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    request.SerializeToCodedStream(&coded);
  }
  return Sha256(text);
}

}  // namespace carme
