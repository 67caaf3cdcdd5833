// The messages of common texts (common/message.h).
#ifndef CARME_COMMON_MESSAGES_H_
#define CARME_COMMON_MESSAGES_H_

#include "common/message.h"

namespace carme::text_messages {

inline constexpr TextTemplate kTwoTexts{"TEXTS_JOINED", "{first}; {second}"};

}  // namespace carme::text_messages

#endif  // CARME_COMMON_MESSAGES_H_
