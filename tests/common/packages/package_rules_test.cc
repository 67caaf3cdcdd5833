#include "common/packages/package_rules.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

// What no package manager may read, in none of the three forms.
const char* const kHostile[] = {"",
                                "-r",
                                "--index-url=https://evil.example",
                                "-e.",
                                "numpy --hash",
                                "numpy\nrm",
                                "numpy\n--index-url https://evil.example",
                                "numpy;python_version<'4'",
                                "numpy @ https://evil.example/x",
                                "numpy@https://evil.example/x",
                                "git+https://evil.example/x",
                                "https://evil.example/x.whl",
                                "./numpy",
                                "../x",
                                "/etc/passwd",
                                "~/x",
                                "$(id)",
                                "`id`",
                                "${HOME}",
                                "{{ x }}",
                                "a&b",
                                "a|b",
                                "a'b",
                                "a\"b",
                                "a\\b",
                                "a#b",
                                "a:b",
                                "evil::numpy",
                                "numpy[version='>1']",
                                "n\xc3\xbcmpy",
                                "numpy\t",
                                " numpy"};

TEST_CASE("package rules: refuse options, addresses, paths and shell text",
          "[common]") {
  for (const char* text : kHostile) {
    INFO(text);
    CHECK_FALSE(IsDebianPackage(text));
    CHECK_FALSE(IsPipPackage(text));
    CHECK_FALSE(IsCondaPackage(text));
  }
  CHECK_FALSE(IsPipPackage(std::string("numpy\0", 6)));
  for (const bool conda : {false, true}) {
    const auto allows = conda ? IsCondaPackage : IsPipPackage;
    CHECK(allows(std::string(kMaxPackageBytes, 'a')));
    CHECK_FALSE(allows(std::string(kMaxPackageBytes + 1, 'a')));
  }
}

TEST_CASE("package rules: pip gets names, extras and versions only",
          "[common]") {
  for (const char* text :
       {"numpy", "zope.interface", "jax[cuda12]", "jax[a,b]>=0.5,<0.7",
        "torch==2.7.1+cu126", "x!=1.*", "x~=1.4", "x==1!2.0"}) {
    INFO(text);
    CHECK(IsPipPackage(text));
  }
  for (const char* text :
       {"numpy==",     "numpy=1", "numpy===1", "numpy>=1,", "numpy>=1,,<2",
        "numpy,scipy", "numpy[",  "numpy[]",   "numpy[a,]", "numpy[a]]",
        "numpy]",      "-numpy",  "numpy-",    "_numpy",    "==1",
        "x.whl",       "x.WHL",   "x.tar.gz",  "x.Tar.GZ",  "x==1.zip",
        "numpy>=-1"}) {
    INFO(text);
    CHECK_FALSE(IsPipPackage(text));
  }
}

TEST_CASE("package rules: conda gets names and versions only", "[common]") {
  for (const char* text : {"numpy", "_openmp_mutex", "r-base=4.4",
                           "numpy>=2,<3", "python==3.13.1", "numpy=2.*"}) {
    INFO(text);
    CHECK(IsCondaPackage(text));
  }
  for (const char* text : {"numpy=1.26=py39_0", "numpy[extra]", "x.tar.bz2",
                           "x.conda", "*", "numpy=", "numpy>1|<2"}) {
    INFO(text);
    CHECK_FALSE(IsCondaPackage(text));
  }
}

TEST_CASE("package rules: a name that apt would remove is refused",
          "[common]") {
  CHECK(IsDebianPackage("r-base-core"));
  CHECK(IsDebianPackage("g++"));
  for (const char* text : {"bash-", "a", "Bash", "r-base=4", "r-base/trixie",
                           "r-base:amd64", "python3*"}) {
    INFO(text);
    CHECK_FALSE(IsDebianPackage(text));
  }
}

TEST_CASE("package rules: an address has no user, query or quotes",
          "[common]") {
  CHECK(IsPackageUrl("https://pypi.org/simple"));
  CHECK(IsPackageUrl("https://mirror.example:8443/a/b-c/"));
  CHECK_FALSE(IsPackageUrl("http://deb.debian.org/debian"));
  CHECK(IsPackageUrl("http://deb.debian.org/debian", true));
  for (const char* url :
       {"", "https://", "ftp://x", "https://u:p@x/", "https://x/?a=b",
        "https://x/ y", "https://x/\"", "https://x/\n", "https:///etc",
        "https://x/..", "https://x/$y", "file:///etc"}) {
    INFO(url);
    CHECK_FALSE(IsPackageUrl(url, true));
  }
}

TEST_CASE("package rules: a path of a definition needs no quotes", "[common]") {
  CHECK(IsDefinitionPath("/home/ada/carme-images/x@1.sif"));
  for (const char* path : {"", "x.sif", "/a b", "/a/../b", "/a\n%post",
                           "/{{x}}", "/a*", "/$x", "/a\"b"}) {
    INFO(path);
    CHECK_FALSE(IsDefinitionPath(path));
  }
  CHECK(IsDebianSuite("trixie"));
  CHECK_FALSE(IsDebianSuite("trixie main"));
}

}  // namespace
}  // namespace carme
