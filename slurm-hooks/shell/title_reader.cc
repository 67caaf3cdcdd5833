#include "slurm-hooks/shell/title_reader.h"

#include <cstddef>

#include "common/printable.h"

namespace carme::shell {
namespace {

constexpr size_t kMaxTitleBytes = 256;
// "0;" and the title. Longer ones are no titles: pictures, pasted text.
constexpr size_t kMaxCommandBytes = 4096;
constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

}  // namespace

void TitleReader::Read(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (state_ == State::kText) {
      // Nearly all bytes are text: skip them quickly.
      at = bytes.find(kEscape, at);
      if (at == std::string_view::npos) return;
    }
    Take(bytes[at]);
  }
}

void TitleReader::Take(char byte) {
  switch (state_) {
    case State::kText:
    case State::kEscape:
      if (state_ == State::kEscape && byte == ']') {
        state_ = State::kCommand;
        command_.clear();
        return;
      }
      state_ = byte == kEscape ? State::kEscape : State::kText;
      return;
    case State::kCommand:
      if (byte == kBell) return Finish();
      if (byte == kEscape) {
        state_ = State::kCommandEscape;
      } else if (command_.size() < kMaxCommandBytes) {
        command_ += byte;
      } else {
        state_ = State::kText;
      }
      return;
    case State::kCommandEscape:
      if (byte == '\\') return Finish();
      state_ = State::kEscape;  // the command was broken off
      return Take(byte);
  }
}

void TitleReader::Finish() {
  state_ = State::kText;
  if (command_.starts_with("0;") || command_.starts_with("2;")) {
    title_ = Readable(std::string_view(command_).substr(2), kMaxTitleBytes);
  }
}

}  // namespace carme::shell
