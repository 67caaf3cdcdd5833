# carme_lean(PROGRAM…): the daemons take gRPC, Protobuf and Abseil from their
# archives, without what they do not call. Shared, these libraries are a third
# of each daemon's resident memory.
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

# carme_lean_libstdcxx(PROGRAM…): they take what they use of libstdc++ from its
# archive too. Only for a program none of whose shared libraries is in C++: two
# copies of libstdc++ in one process would share some of its state and not all.
function(carme_lean_libstdcxx)
  if(NOT CARME_LEAN OR CARME_SANITIZE)
    return()
  endif()
  foreach(program ${ARGN})
    target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc)
  endforeach()
endfunction()

# carme_static(PROGRAM…): nothing is taken from the system it will run in, which
# is whatever image a user brings.
set(CARME_IS_STATIC $<BOOL:$<TARGET_PROPERTY:CARME_STATIC>>)

function(carme_static)
  if(CARME_SANITIZE) # they cannot be linked in
    return()
  endif()
  foreach(program ${ARGN})
    set_target_properties(${program} PROPERTIES CARME_LEAN ON CARME_STATIC ON)
    target_link_options(${program} PRIVATE -static -Wl,--gc-sections)
  endforeach()
endfunction()
