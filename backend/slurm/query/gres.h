// Parses GPUs in Slurm's descriptions of generic resources.
#ifndef CARME_BACKEND_SLURM_QUERY_GRES_H_
#define CARME_BACKEND_SLURM_QUERY_GRES_H_

#include <map>
#include <string>
#include <string_view>

namespace carme::backend {

// The GPUs of a node's `gres` or `gres_used` by type, "gpu" where untyped:
//   "gpu:h200:2(S:0-1),gpu:a100:1(IDX:0),nic:1" → {h200: 2, a100: 1}
//   "gpu:(null):3(IDX:0,2-3)"                   → {gpu: 3}
// A node that has not registered yet shows the text of slurm.conf, where the
// count may be missing, have a unit, or follow "no_consume":
//   "gpu", "gpu:tesla", "gpu:tesla:no_consume:1K" → {gpu: 1, tesla: 1025}
// Shards are parts of GPUs and are not counted. Invalid parts are ignored;
// types that occur twice are added up.
std::map<std::string, int> ParseGpus(std::string_view gres);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_GRES_H_
