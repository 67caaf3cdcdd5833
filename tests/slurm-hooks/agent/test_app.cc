// A tiny app on a unix socket, for the tests of the agent.
//
//   test_app SOCKET SEEN [MODE]
//
// It answers "GET …" with 200. Everything else it echoes, writes to the file
// SEEN, and follows by "<end>" when the other side has finished. MODE:
//   stubborn    does not end on SIGTERM
//   fail        prints a line and ends with code 3
//   late        answers 503 to the first three requests
//   mortal      ends with code 9 when it is sent "die"
//   below PATH  answers 503 to requests for what is not below PATH
// It writes its process id to a file beside SOCKET, which ends in .sock, as
// .pid.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "common/unique_fd.h"

namespace {

std::atomic<int> to_refuse = 0;
bool mortal = false;
std::string below = "/";

void WritePid(std::string socket_path) {
  socket_path.replace(socket_path.rfind('.'), std::string::npos, ".pid");
  std::FILE* file = std::fopen(socket_path.c_str(), "w");
  std::fprintf(file, "%d\n", getpid());
  std::fclose(file);
}

void Send(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (put <= 0) return;
    text.remove_prefix(static_cast<size_t>(put));
  }
}

void Serve(carme::UniqueFd connection, const std::string& seen_path) {
  char buffer[4096];
  while (true) {
    const ssize_t got = recv(connection.get(), buffer, sizeof buffer, 0);
    if (got <= 0) break;
    const std::string_view bytes(buffer, static_cast<size_t>(got));
    if (bytes.starts_with("GET ")) {
      const bool refuses =
          to_refuse-- > 0 || !bytes.substr(4).starts_with(below);
      Send(connection.get(), refuses ? "HTTP/1.1 503 Not Yet\r\n\r\n"
                                     : "HTTP/1.1 200 OK\r\n\r\n");
      return;
    }
    std::FILE* seen = std::fopen(seen_path.c_str(), "a");
    std::fwrite(bytes.data(), 1, bytes.size(), seen);
    std::fclose(seen);
    if (mortal && bytes == "die") {
      std::fprintf(stderr, "it was sent to death\n");
      _exit(9);
    }
    Send(connection.get(), bytes);
  }
  Send(connection.get(), "<end>");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view mode = argc > 3 ? argv[3] : "";
  if (mode == "stubborn") signal(SIGTERM, SIG_IGN);
  if (mode == "late") to_refuse = 3;
  mortal = mode == "mortal";
  if (mode == "below" && argc > 4) below = argv[4];
  WritePid(argv[1]);
  if (mode == "fail") {
    std::fprintf(stderr, "no licence left\n");
    return 3;
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  const carme::UniqueFd listener(socket(AF_UNIX, SOCK_STREAM, 0));
  if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address),
           sizeof address) != 0 ||
      listen(listener.get(), 64) != 0) {
    std::perror("test_app");
    return 1;
  }
  while (true) {
    carme::UniqueFd connection(accept(listener.get(), nullptr, nullptr));
    if (!connection.valid()) continue;
    std::thread(Serve, std::move(connection), std::string(argv[2])).detach();
  }
}
