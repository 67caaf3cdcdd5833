# carme_app_page(NAME SOURCES FILE… TESTS FILE…): the page of an app, built with
# npm in a copy of the calling folder, so that the source tree stays clean. Its
# files become C++ text: page_assets.cc in the binary directory, made by the
# target carme_NAME_page. slurm-hooks/web_app/page_assets.h declares it.
find_program(NPM npm)
find_program(NODE node)

function(carme_app_page name)
  cmake_parse_arguments(PAGE "" "" "SOURCES;TESTS" ${ARGN})
  set(stage ${CMAKE_CURRENT_BINARY_DIR}/stage)
  set(assets ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cc)
  set(manifest package.json package-lock.json .npmrc)
  set(settings index.html tsconfig.json vite.config.ts)
  set(embed ${PROJECT_SOURCE_DIR}/slurm-hooks/web_app/embed_page.mjs)

  add_custom_command(OUTPUT packages.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${stage}
    COMMAND ${CMAKE_COMMAND} -E copy ${manifest} ${stage}
    COMMAND ${CMAKE_COMMAND} -E chdir ${stage}
      ${NPM} ci --prefer-offline --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_CURRENT_BINARY_DIR}/packages.stamp
    DEPENDS ${manifest}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Installing the packages of the page of ${name}" VERBATIM)

  # Deleted first, so that a file which left the tree leaves the copy too.
  add_custom_command(OUTPUT page_assets.cc
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${stage}/src ${stage}/tests
    COMMAND ${CMAKE_COMMAND} -E copy ${settings} ${stage}
    COMMAND ${CMAKE_COMMAND} -E copy_directory src ${stage}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory tests ${stage}/tests
    COMMAND ${CMAKE_COMMAND} -E chdir ${stage} ${NPM} run --silent build
    COMMAND ${NODE} ${embed} ${stage}/build/dist ${assets}
    DEPENDS packages.stamp ${settings} ${embed} ${PAGE_SOURCES} ${PAGE_TESTS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Building the page of ${name}" VERBATIM)
  add_custom_target(carme_${name}_page DEPENDS page_assets.cc)

  if(BUILD_TESTING)
    add_test(NAME ${name}_page_test COMMAND ${NPM} test --silent
      WORKING_DIRECTORY ${stage})
    carme_test_size(${name}_page_test unit MEDIUM)
  endif()
endfunction()
