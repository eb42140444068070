# The rooms one by one, in the order of CMakeLists.txt.
onchip_unit_test(test_base_error SOURCES test_base_error.c ROOMS base)
onchip_unit_test(test_base_file SOURCES test_base_file.c ROOMS base)
onchip_unit_test(test_base_hash SOURCES test_base_hash.c ROOMS base)
onchip_unit_test(test_base_json SOURCES test_base_json.c ROOMS base)
onchip_unit_test(test_tensor SOURCES test_tensor.c ROOMS tensor base)
target_link_libraries(test_tensor PRIVATE onchip_pjrt_header)
onchip_unit_test(test_proc SOURCES test_proc.c ROOMS proc base)
