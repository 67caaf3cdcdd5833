// Errors of the catalogues (common/message.h) with their details.
#ifndef CARME_COMMON_PROTOBUF_MESSAGE_ERROR_H_
#define CARME_COMMON_PROTOBUF_MESSAGE_ERROR_H_

#include <initializer_list>

#include "absl/status/status.h"
#include "common/display_text.h"
#include "common/message.h"

namespace carme {

// A status with the error's text in English, and its reason and values as
// google.rpc.ErrorInfo, from which a client can make the text in another
// language. A value that is not UTF-8 becomes readable there. If a value is a
// text with a code, the status has a carme.v1.TextCode, too; clients prefer it.
absl::Status MakeError(const ErrorTemplate& error,
                       std::initializer_list<MessageValue> values = {});

// The message of the status, with the code and parameters of its
// carme.v1.TextCode, or else the reason and values of its google.rpc.ErrorInfo.
// Empty: OK.
DisplayText TextOfStatus(const absl::Status& status);

}  // namespace carme

#endif  // CARME_COMMON_PROTOBUF_MESSAGE_ERROR_H_
