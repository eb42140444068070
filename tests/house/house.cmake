# The house is held up by the build: public headers stand alone, an include against the arrow is a
# missing file, the library shows its own names only, and verbs that need no plugin load none.
find_program(CXX_COMPILER NAMES g++ c++)

# What a room's sources see, written down by the build itself: one folder a line.
foreach(room stablehlo reference program numeric placement verify)
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

# docs/supported-ops.md is printed from the reference's tables.
add_executable(supported_ops ${CMAKE_SOURCE_DIR}/tests/house/supported_ops.c)
set_target_properties(supported_ops PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(supported_ops PRIVATE onchip_static onchip_reference_hdr onchip_stablehlo_hdr
  onchip_tensor_hdr onchip_base_hdr)
onchip_house_test(supported_ops)
set_property(TEST house.supported_ops APPEND PROPERTY ENVIRONMENT
  ONCHIP_SUPPORTED_OPS=$<TARGET_FILE:supported_ops>)
