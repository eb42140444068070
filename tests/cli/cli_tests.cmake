# One test for each case, so that ctest runs them side by side and names the one that failed.
file(GLOB cli_cases CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_LIST_DIR}
  ${CMAKE_CURRENT_LIST_DIR}/*/*.sh)
foreach(case IN LISTS cli_cases)
  string(REGEX REPLACE "\\.sh$" "" name ${case})
  string(REPLACE "/" "." name ${name})
  add_test(NAME cli.${name}
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/run.sh ${CMAKE_CURRENT_LIST_DIR}/${case})
  onchip_test_settings(cli.${name})
endforeach()
