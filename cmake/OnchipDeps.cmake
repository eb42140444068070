# Libraries of Debian 12 (OpenBLAS for the dots of the reference, libzip for .npz), and the two wheels that `./dev deps` unpacks into ONCHIP_DEPS.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.14)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle>=3.8)
pkg_check_modules(OPENBLAS REQUIRED openblas>=0.3.20)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip>=1.7)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
find_program(PROTOC_C protoc-c REQUIRED)

set(ONCHIP_DEPS ${CMAKE_CURRENT_SOURCE_DIR}/.deps CACHE PATH "Where ./dev deps puts the wheels")
set(ONCHIP_CPU_PLUGIN ${ONCHIP_DEPS}/cpu/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so)
set(ONCHIP_OLDER_CPU_PLUGIN ${ONCHIP_DEPS}/older-cpu/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so)
find_path(PJRT_HEADER_DIR pjrt_c_api.h REQUIRED NO_DEFAULT_PATH
  PATHS ${ONCHIP_DEPS}/older-cpu/xla_plugins/xla_cpu_pjrt/include
  DOC "Folder of pjrt_c_api.h; run ./dev deps")

# OpenBLAS and libzip are loaded when they are wanted (base/library.h): only their headers are
# needed here.
add_library(onchip_openblas_header INTERFACE)
target_include_directories(onchip_openblas_header SYSTEM INTERFACE ${OPENBLAS_INCLUDE_DIRS})
add_library(onchip_libzip_header INTERFACE)
target_include_directories(onchip_libzip_header SYSTEM INTERFACE ${LIBZIP_INCLUDE_DIRS})

# Foreign headers are not held to our warnings.
add_library(onchip_pjrt_header INTERFACE)
target_include_directories(onchip_pjrt_header SYSTEM INTERFACE ${PJRT_HEADER_DIR})

# The compile options that a plugin takes are a protobuf message; src/pjrt/compile_options.proto
# holds the fields that onchip sets.
set(proto_dir ${CMAKE_CURRENT_BINARY_DIR}/proto)
add_custom_command(
  OUTPUT ${proto_dir}/compile_options.pb-c.c ${proto_dir}/compile_options.pb-c.h
  COMMAND ${CMAKE_COMMAND} -E make_directory ${proto_dir}
  COMMAND ${PROTOC_C} --c_out=${proto_dir} --proto_path=${CMAKE_CURRENT_SOURCE_DIR}/src/pjrt compile_options.proto
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/pjrt/compile_options.proto VERBATIM)
set(ONCHIP_PROTO_SOURCE ${proto_dir}/compile_options.pb-c.c)
set_source_files_properties(${ONCHIP_PROTO_SOURCE} PROPERTIES COMPILE_OPTIONS -w)
add_library(onchip_proto_header INTERFACE)
target_include_directories(onchip_proto_header SYSTEM INTERFACE ${proto_dir})
