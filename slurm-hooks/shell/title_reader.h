// Extracts the terminal title from the output of programs:
//
// Not thread-safe. Accepts the output in arbitrary pieces.
#ifndef CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_
#define CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_

#include <string>
#include <string_view>

namespace carme::shell {

class TitleReader {
 public:
  void Read(std::string_view bytes);
  // At most 256 bytes of UTF-8 without control characters; may be empty.
  const std::string& title() const { return title_; }

 private:
  enum class State { kText, kEscape, kCommand, kCommandEscape };
  void Take(char byte);
  void Finish();

  State state_ = State::kText;
  std::string command_;  // text after ESC ]
  std::string title_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TITLE_READER_H_
