// How many tasks an array has, as Slurm would read it: kept apart from the
// backend's own reading on purpose.
#ifndef CARME_BACKEND_PRIVILEGED_ARRAY_TEXT_H_
#define CARME_BACKEND_PRIVILEGED_ARRAY_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace carme::impersonator {

// Of "0-9", "1,3,5" or "0-99:2", each with "%4" behind it; an index that is
// there twice counts twice. Nothing: not of that form, of which Slurm reads
// more, or with an index beyond Slurm's own bound.
std::optional<int64_t> CountTasks(std::string_view array);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_ARRAY_TEXT_H_
