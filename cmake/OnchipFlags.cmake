# Compiler flags, the same for every room. Fast-math is refused, also when it comes from
# outside: it changes the answers this program exists to judge.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

string(TOUPPER "${CMAKE_BUILD_TYPE}" onchip_config)
foreach(variable CMAKE_C_FLAGS CMAKE_C_FLAGS_${onchip_config} CMAKE_EXE_LINKER_FLAGS CMAKE_SHARED_LINKER_FLAGS)
  if("${${variable}}" MATCHES "-Ofast|-ffast-math|-funsafe-math-optimizations|-fassociative-math|-ffinite-math-only")
    message(FATAL_ERROR "${variable} asks for fast-math; onchip judges arithmetic and refuses it")
  endif()
endforeach()

add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wformat=2 -Wundef -Werror -ffp-contract=off)
add_compile_definitions(_GNU_SOURCE)
add_link_options(-Wl,-z,now -Wl,--as-needed)

option(ONCHIP_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(ONCHIP_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

option(ONCHIP_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
if(ONCHIP_FUZZ)
  # clang leaves its sanitizers' symbols in a shared object to the program: no -z defs.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
else()
  add_link_options(-Wl,-z,defs)
endif()
