// CSCS's published listing of an EDF and its command, as they stand there, on
// this cluster's two nodes: a registry's image that the site has imported, two
// mounts, a working directory, hooks that a site may not have.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "common/file.h"
#include "tests/slurm-hooks/spank/user_shell.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

std::string BaseImage() {
  const char* const folder = getenv("CARME_BASE_IMAGE");
  if (folder == nullptr) {
    std::fprintf(stderr, "skipped: no CARME_BASE_IMAGE\n");
    std::_Exit(77);
  }
  return folder;
}

// What the listing takes for granted on each node.
class Scratch {
 public:
  Scratch() {
    REQUIRE(AsRoot("mkdir -p /scratch/project01/dataset && "
                   "mkdir /scratch/ada && chown ada /scratch/ada && "
                   "echo 4 8 15 > /scratch/project01/dataset/numbers")
                .code == 0);
  }
  ~Scratch() {
    AsRoot(
        "rm -f /scratch/ada/* /scratch/project01/dataset/numbers; "
        "rmdir /scratch/ada /scratch/project01/dataset /scratch/project01 "
        "/scratch");
  }
};

constexpr char kListing[] = R"(image = "ubuntu:latest"
mounts = [
    "/scratch/project01/dataset:/scratch/project01/dataset:ro",
    "/scratch/${USER}"
]
workdir = "/scratch/${USER}"
writable = true

[annotations.com.hooks]
aws_ofi_nccl.variant = "cuda12"
[annotations.com.hooks.ssh]
enabled = "true"
authorize_ssh_key = "/home/ada/.ssh/id.pub"
)";

constexpr char kTrain[] = R"(import os, platform
numbers = open("/scratch/project01/dataset/numbers").read().split()
rank = os.environ["SLURM_PROCID"]
os.mkdir("/made-by-" + rank)
open("result-" + rank, "w").write(str(sum(map(int, numbers))))
print("rank", rank, "of", os.environ["SLURM_NTASKS"], "in", os.getcwd(),
      platform.freedesktop_os_release()["VERSION_ID"], platform.node())
try:
    open("/scratch/project01/dataset/new", "w")
except OSError as error:
    print(error.strerror)
)";

// The listing's environment, with the base image as ubuntu:latest.
void WriteListing() {
  const std::string image = BaseImage() + "/base.squashfs";
  const std::string store = "/etc/carme-site/images/";
  REQUIRE(AsRoot("ln -sf " + image + " " + store + "ubuntu+latest.sqsh").code ==
          0);
  REQUIRE_THAT(WriteFile("/home/ada/my_environment.toml", kListing, 0644),
               IsOk());
}

constexpr char kRing[] = R"(#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, left;
  char host[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  gethostname(host, sizeof host);
  printf("rank %d/%d on %s, left %d\n", rank, size, host, left);
  MPI_Finalize();
}
)";

TEST_CASE("srun --environment: an MPI ring over two nodes", "[edf]") {
  WriteListing();
  const Scratch scratch;
  REQUIRE_THAT(WriteFile("/scratch/ada/ring.c", kRing, 0644), IsOk());
  const std::string srun = "srun --environment=./my_environment.toml ";
  REQUIRE(AsAda(srun + "mpicc -o /scratch/ada/ring ring.c").code == 0);
  Ran ran = AsAda(srun + "-N2 -n2 /scratch/ada/ring");
  INFO(ran.text);
  CHECK(ran.code == 0);
  CHECK(Contains(ran.text, "rank 0/2 on n1, left 1\n"));
  CHECK(Contains(ran.text, "rank 1/2 on n2, left 0\n"));
  CHECK_FALSE(Contains(ran.text, "PMIx server"));
  // which the listing has
  CHECK(Contains(ran.text, "annotation \"com.hooks.ssh\": hooks are not "));
  // Ranks on one node, beside those of the other.
  ran = AsAda(srun + "-N2 -n4 --overcommit /scratch/ada/ring");
  INFO(ran.text);
  CHECK(Contains(ran.text, "rank 3/4 on n2, left 2\n"));
  CheckNodesStayUp();
}

TEST_CASE("srun --environment: warns where MPI programs find no PMI server",
          "[edf]") {
  WriteListing();
  const Scratch scratch;
  const std::string srun =
      "srun --mpi=none --environment=./my_environment.toml ";
  const std::string warning = "this step of 2 tasks has no PMIx server";
  const Ran ran = AsAda(srun + "-N2 -n2 true");
  INFO(ran.text);
  CHECK(ran.code == 0);
  const size_t first = ran.text.find(warning);
  CHECK(first != std::string::npos);
  CHECK(ran.text.find(warning, first + 1) == std::string::npos);
  CHECK_FALSE(Contains(
      AsAda("CARME_MPI_WARNING=off " + srun + "-N2 -n2 true").text, warning));
  CHECK_FALSE(Contains(AsAda(srun + "true").text, "PMIx server"));
}

TEST_CASE("CSCS's listing runs with srun --environment", "[edf]") {
  WriteListing();
  const Scratch scratch;
  REQUIRE_THAT(WriteFile("/scratch/ada/train.py", kTrain, 0644), IsOk());
  const Ran ran = AsAda(
      "srun -N2 --ntasks-per-node=2 --overcommit "
      "--environment=./my_environment.toml python train.py");
  INFO(ran.text);
  CHECK(ran.code == 0);
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(Contains(ran.text, "rank " + std::to_string(rank) +
                                 " of 4 in /scratch/ada 13 n" +
                                 std::to_string(rank / 2 + 1) + "\n"));
    CHECK(AsAda("cat /scratch/ada/result-" + std::to_string(rank)).text ==
          "27");
  }
  CHECK(Contains(ran.text, "Read-only file system\n"));
  CHECK(AsAda("stat -c %U /scratch/ada/result-3").text == "ada\n");
  CHECK(AsRoot("ls -d /made-by-0").code != 0);
  CheckNodesStayUp();
}

TEST_CASE("the site's environment of the base image is found by its name",
          "[edf]") {
  BaseImage();
  const Ran ran = AsAda(
      "srun --environment=base sh -c \"jupyter lab --version; mpirun "
      "--version\"");
  INFO(ran.text);
  CHECK(ran.code == 0);
  CHECK(Contains(ran.text, "4."));
  CHECK(Contains(ran.text, "Open MPI"));
}

}  // namespace
}  // namespace carme
