// A carme-storage-reader, and requests to it.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_STORAGE_STORAGE_READER_PROCESS_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_STORAGE_STORAGE_READER_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "carme/privileged/v1/storage.pb.h"
#include "tests/backend/privileged/root_program_process.h"

namespace carme::storage_reader {

// A request that is valid in every field.
privileged::v1::StorageRequest ValidStorageRequest(
    const std::string& user = "ada", uid_t uid = 20001);

class StorageReaderProcess : public testing::RootProgramProcess {
 public:
  // `settings` are lines of TOML instead of the test's own.
  explicit StorageReaderProcess(const std::string& settings = "")
      : StorageReaderProcess(settings, Ways{}) {}
  StorageReaderProcess(const std::string& settings, Ways ways);

  // Sends `bytes` as they are and reads one answer. Without an answer its
  // outcome is OUTCOME_UNSPECIFIED.
  privileged::v1::StorageResponse Exchange(const std::string& bytes) const;
  privileged::v1::StorageResponse ReadStorage(const std::string& user,
                                              uid_t uid) const;
};

}  // namespace carme::storage_reader

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_STORAGE_STORAGE_READER_PROCESS_H_
