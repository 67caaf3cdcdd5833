# carme_lean(PROGRAM…): the daemons take gRPC, Protobuf and Abseil from their
# archives, without what they do not call. Shared, these libraries are a third
# of each daemon's resident memory. README.md has the figures and the price.
option(CARME_LEAN "link the daemons with gRPC's archives" ON)

# Evaluated for the program that is linked, not for the libraries between.
set(CARME_IS_LEAN $<BOOL:$<TARGET_PROPERTY:CARME_LEAN>>)

function(carme_lean)
  # The sanitizers see more of shared libraries.
  if(NOT CARME_LEAN OR CARME_SANITIZE)
    return()
  endif()
  foreach(program ${ARGN})
    set_target_properties(${program} PROPERTIES CARME_LEAN ON)
    target_link_options(${program} PRIVATE
      -Wl,--as-needed,--gc-sections,-z,pack-relative-relocs)
  endforeach()
endfunction()
