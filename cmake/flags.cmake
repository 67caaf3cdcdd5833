# One INTERFACE target carries every flag; each target of ours links it.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(CARME_WERROR "warnings are errors" ON)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(carme_flags INTERFACE)
target_compile_options(carme_flags INTERFACE -Wall -Wextra -Wshadow
  -Wnon-virtual-dtor -Woverloaded-virtual -fstack-protector-strong
  $<$<BOOL:${CARME_WERROR}>:-Werror>
  $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
target_include_directories(carme_flags INTERFACE ${PROJECT_SOURCE_DIR}
  ${PROJECT_BINARY_DIR}/proto)
target_compile_definitions(carme_flags INTERFACE
  CARME_VERSION="${PROJECT_VERSION}")
target_link_options(carme_flags INTERFACE -Wl,-z,relro,-z,now)

# Debian's mold links the gRPC programs in a fifth of the time. Its packed
# relocations do not load, so the lean programs have GNU's linker.
find_program(MOLD mold)
if(MOLD)
  target_link_options(carme_flags INTERFACE
    -fuse-ld=$<IF:${CARME_IS_LEAN},bfd,mold>)
endif()
