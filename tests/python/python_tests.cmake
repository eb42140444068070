# Python never writes its caches beside the sources.
foreach(name cases run launch lies check devices broken_world lesson manual audit_engine virtual_devices audit_project)
  onchip_python_test(${name})
  set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
# Every byte and member of a run folder, each judged anew; slow under the sanitizers.
set_property(TEST python.run python.cases PROPERTY TIMEOUT 400)
# Builds and runs some thirty programs one after the other.
set_property(TEST python.virtual_devices PROPERTY TIMEOUT 300)
# Some sixty of them.
set_property(TEST python.audit_project PROPERTY TIMEOUT 600)
# It compiles each of its cases, most of them with two compilers.
set_property(TEST python.audit_engine PROPERTY TIMEOUT 400)

# Each byte and member of the folder of a launch.
onchip_python_test(verify_launch)
set_property(TEST python.verify_launch APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
set_property(TEST python.verify_launch PROPERTY TIMEOUT 300)

# What the Python peers compare with: programs of ours that print what the library makes.
foreach(peer peer_tensor hlo_print)
  add_executable(${peer} ${CMAKE_SOURCE_DIR}/tests/python/${peer}.c)
  set_target_properties(${peer} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${peer} PRIVATE onchip_static)
  foreach(room stablehlo tensor base)
    target_link_libraries(${peer} PRIVATE onchip_${room}_hdr)
  endforeach()
endforeach()
foreach(name tensor_peers hlo_peer)
  onchip_python_test(${name})
  set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
    ONCHIP_TEST_PEER_TENSOR=$<TARGET_FILE:peer_tensor>
    ONCHIP_TEST_HLO_PRINT=$<TARGET_FILE:hlo_print>)
endforeach()

# The built-in job of launch, and a real plugin that dies when it is told to.
add_library(proxy_plugin MODULE ${CMAKE_SOURCE_DIR}/tests/python/proxy_plugin.c)
set_target_properties(proxy_plugin PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(proxy_plugin PRIVATE onchip_pjrt_header ${CMAKE_DL_LIBS})
onchip_python_test(train)
set_property(TEST python.train APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
  ONCHIP_TEST_PROXY=$<TARGET_FILE:proxy_plugin>)
set_property(TEST python.train PROPERTY TIMEOUT 300)

# The built-in job of launch beside NumPy.
add_executable(fit_peer ${CMAKE_SOURCE_DIR}/tests/python/fit_peer.c
  ${CMAKE_SOURCE_DIR}/tests/unit/fit_device.c)
set_target_properties(fit_peer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_include_directories(fit_peer PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit)
target_link_libraries(fit_peer PRIVATE onchip_static)
foreach(room fit numeric reference stablehlo tensor base)
  target_link_libraries(fit_peer PRIVATE onchip_${room}_hdr)
endforeach()
onchip_python_test(fit)
set_property(TEST python.fit APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
  ONCHIP_TEST_FIT_PEER=$<TARGET_FILE:fit_peer>)
set_property(TEST python.fit PROPERTY TIMEOUT 300)

# The format of checkpoints, beside hashlib and json.
add_executable(checkpoint_peer ${CMAKE_SOURCE_DIR}/tests/python/checkpoint_peer.c)
set_target_properties(checkpoint_peer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
onchip_use_rooms(checkpoint_peer checkpoint base)
onchip_python_test(checkpoint_format)
set_property(TEST python.checkpoint_format APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
  ONCHIP_TEST_CHECKPOINT_PEER=$<TARGET_FILE:checkpoint_peer>)
