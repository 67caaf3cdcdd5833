// Converts a piece of a log to a message.
#ifndef CARME_BACKEND_RPC_CONVERT_LOG_TEXT_H_
#define CARME_BACKEND_RPC_CONVERT_LOG_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/slurm/submitter.h"
#include "common/printable.h"

namespace carme::backend {

// Removes incomplete UTF-8 characters at both ends. Keeps the text as it is
// when nothing else is left, so that a reader always makes progress.
inline LogText WholeCharacters(LogText log) {
  const size_t before = log.offset > 0 ? CutOffBefore(log.text) : 0;
  const size_t behind = CutOffBehind(std::string_view(log.text).substr(before));
  if (before + behind >= log.text.size()) return log;
  log.text = log.text.substr(before, log.text.size() - before - behind);
  log.offset += static_cast<int64_t>(before);
  return log;
}

// Fills a GetLogResponse, or another response with its fields, with the whole
// text: one '?' for each byte that is not UTF-8.
template <typename Response>
void FillLogText(const LogText& log, Response* response) {
  response->set_text(ValidUtf8(log.text));
  response->set_offset_bytes(log.offset);
  response->set_next_offset_bytes(log.offset +
                                  static_cast<int64_t>(log.text.size()));
  response->set_size_bytes(log.size);
}

// The same with whole characters only.
template <typename Response>
void FillLog(const LogText& log, Response* response) {
  FillLogText(WholeCharacters(log), response);
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_LOG_TEXT_H_
