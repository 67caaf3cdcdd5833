// Lists of libslurm. The type has another name in each release.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_SLURM_LIST_H_
#define CARME_BACKEND_SLURM_LIBSLURM_SLURM_LIST_H_

#include <slurm/slurm.h>

#include <memory>
#include <type_traits>

namespace carme {

using SlurmList = decltype(slurm_list_create(nullptr));

struct SlurmListDeleter {
  void operator()(SlurmList list) const { slurm_list_destroy(list); }
};
using OwnedSlurmList =
    std::unique_ptr<std::remove_pointer_t<SlurmList>, SlurmListDeleter>;

// Calls `visit` with each element; `list` may be null.
template <typename Record, typename Visit>
void ForEachRecord(SlurmList list, const Visit& visit) {
  if (list == nullptr) return;
  auto* iterator = slurm_list_iterator_create(list);
  while (void* record = slurm_list_next(iterator)) {
    visit(*static_cast<const Record*>(record));
  }
  slurm_list_iterator_destroy(iterator);
}

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_SLURM_LIST_H_
