// [history] of backend.toml.
#ifndef CARME_BACKEND_HISTORY_HISTORY_CONFIG_H_
#define CARME_BACKEND_HISTORY_HISTORY_CONFIG_H_

#include "common/config/config.h"

namespace carme::backend {

struct HistoryConfig {
  int retention_days = 1095;     // after the end, from 1 to 3,650
  int retention_jobs = 200'000;  // of all users, from 1,000 to 2,000,000
  bool ask_slurmdbd = true;      // where slurm.conf names one
};

// Errors are reported by the file's Finish().
void ReadHistoryConfig(ConfigTable root, HistoryConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_HISTORY_CONFIG_H_
