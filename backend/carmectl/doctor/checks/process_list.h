// Carme's processes on this host, from /proc.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_PROCESS_LIST_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_PROCESS_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

struct ProgramProcess {
  int pid = 0;
  std::vector<std::string> open_files;  // paths
  std::optional<int64_t> max_open_files;
};

// The processes of one program, by the name of its file. Only root sees those
// of other users.
std::vector<ProgramProcess> ProcessesOf(const Host& host,
                                        const std::string& program);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_PROCESS_LIST_H_
