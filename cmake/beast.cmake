# Header-only: nothing of Boost is linked.
find_path(BOOST_INCLUDE boost/beast/version.hpp REQUIRED)
add_library(carme_beast INTERFACE)
target_include_directories(carme_beast SYSTEM INTERFACE ${BOOST_INCLUDE})
target_link_libraries(carme_beast INTERFACE Threads::Threads)
target_compile_definitions(carme_beast INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
if(CARME_SANITIZE STREQUAL thread)
  # That sanitizer does not know fences. Asio's stand beside locks, which it does.
  target_compile_definitions(carme_beast INTERFACE
    BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
