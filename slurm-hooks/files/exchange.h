// One request on a connection, and its response.
//
// Thread safety: one thread.
#ifndef CARME_SLURM_HOOKS_FILES_EXCHANGE_H_
#define CARME_SLURM_HOOKS_FILES_EXCHANGE_H_

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slurm-hooks/files/socket_stream.h"

namespace carme::files {

// Reads the head of the request when it is created, and its body on demand.
// After Read(), exactly one of the Send functions must be called. A response
// that was not sent completely ends the connection: keep_alive() is false.
class Exchange {
 public:
  using Headers = std::vector<std::pair<std::string_view, std::string>>;

  Exchange(SocketStream* stream, boost::beast::flat_buffer* buffer);

  // Reads the head. False: the connection has ended, or the head was invalid
  // and a response was sent.
  bool ReadHead();

  boost::beast::http::verb method() const { return parser_.get().method(); }
  std::string_view target() const;
  // Null: the header is missing or there twice.
  std::optional<std::string> Header(std::string_view name) const;
  bool HasOwnOrigin() const;
  // Of the body; nullopt: chunked.
  std::optional<uint64_t> ContentLength() const;

  // Reads up to `size` bytes of the body. 0: it is complete. UNAVAILABLE: the
  // connection was lost.
  absl::StatusOr<size_t> ReadBody(char* data, size_t size);

  void Send(unsigned status, std::string body,
            std::string_view type = "application/json",
            const Headers& headers = {});
  // A JSON object with code and text; `fields` are further ones.
  void SendError(const absl::Status& error, std::string_view fields = "");
  // `size` bytes of `fd` from `offset`.
  void SendFile(unsigned status, int fd, uint64_t offset, uint64_t size,
                const Headers& headers);
  // What `read` returns until it returns an empty text, as chunks. An error
  // ends the connection, so that the client sees an incomplete response.
  template <typename Read>
  void SendChunks(const Headers& headers, Read read) {
    if (!BeginChunks(headers)) return;
    for (;;) {
      absl::StatusOr<std::string_view> chunk = read();
      if (!chunk.ok() || !WriteChunk(*chunk)) return;
      if (chunk->empty()) break;
    }
    keep_alive_ = parser_.get().keep_alive();
  }

  bool keep_alive() const { return keep_alive_; }

 private:
  using Response = boost::beast::http::response<boost::beast::http::empty_body>;

  Response MakeResponse(unsigned status, const Headers& headers) const;
  bool WriteAll(std::string_view bytes);
  bool BeginChunks(const Headers& headers);
  bool WriteChunk(std::string_view chunk);  // empty: the last one
  // Discards a small rest of the body, so that the connection can go on.
  bool DiscardBody();

  SocketStream* const stream_;
  boost::beast::flat_buffer* const buffer_;
  boost::beast::http::request_parser<boost::beast::http::buffer_body> parser_;
  bool continue_sent_ = false;
  bool keep_alive_ = false;
};

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_EXCHANGE_H_
