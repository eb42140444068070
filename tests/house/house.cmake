# The house is held up by the build: public headers stand alone, an include against the arrow is a
# missing file, the library shows its own names only, and verbs that need no plugin load none.
find_program(CXX_COMPILER NAMES g++ c++)

# What a room's sources see, written down by the build itself: one folder a line.
foreach(room numeric placement verify)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/house/${room}.includes
    CONTENT "$<JOIN:$<TARGET_PROPERTY:onchip_${room},INCLUDE_DIRECTORIES>,\n>\n")
endforeach()

# onchip_house_test(NAME): tests/house/NAME.sh
function(onchip_house_test name)
  add_test(NAME house.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/house/${name}.sh)
  onchip_test_settings(house.${name})
  set_property(TEST house.${name} APPEND PROPERTY ENVIRONMENT
    CC=${CMAKE_C_COMPILER} CXX=${CXX_COMPILER} ONCHIP_HOUSE=${CMAKE_CURRENT_BINARY_DIR}/house
    ONCHIP_LIBRARY=$<TARGET_FILE:onchip_shared>)
endfunction()

onchip_house_test(public_headers)
onchip_house_test(arrows)
onchip_house_test(symbols)
onchip_house_test(no_plugin)
