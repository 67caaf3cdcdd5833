// Replaces a function of libslurm, as a compromised libslurm would: it connects
// to the directory, and returns the result.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

extern "C" int slurm_submit_batch_job(void* /*request*/, void** /*response*/) {
  const sockaddr_in directory{.sin_family = AF_INET,
                              .sin_port = htons(389),
                              .sin_addr = {htonl(INADDR_LOOPBACK)},
                              .sin_zero = {}};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int result = connect(fd, reinterpret_cast<const sockaddr*>(&directory),
                             sizeof directory);
  // Slurm's own numbers: "access denied", "invalid partition".
  errno = result != 0 && errno == EACCES ? 2002 : 2000;
  return -1;
}
