# onchip_room(NAME SOURCES file.c... [PUBLIC header.h...] [NEEDS room...] [LIBS target...])
#
# One room = one OBJECT library + one include-only target `onchip_NAME_hdr`. The include-only
# target exposes build/rooms/NAME, which holds links to the room's own folder (NAME/) and to its
# public headers (onchip/), and nothing beside them.
function(onchip_room name)
  cmake_parse_arguments(R "" "" "SOURCES;PUBLIC;NEEDS;LIBS" ${ARGN})
  set(room ${CMAKE_CURRENT_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${room})
  file(MAKE_DIRECTORY ${room}/onchip)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/src/${name} ${room}/${name} SYMBOLIC)
  foreach(header ${R_PUBLIC})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/include/onchip/${header} ${room}/onchip/${header} SYMBOLIC)
  endforeach()
  add_library(onchip_${name}_hdr INTERFACE)
  target_include_directories(onchip_${name}_hdr INTERFACE ${room})
  target_link_libraries(onchip_${name}_hdr INTERFACE ${R_LIBS})

  list(TRANSFORM R_SOURCES PREPEND src/${name}/ REGEX "^[^/]") # generated files have full paths
  add_library(onchip_${name} OBJECT ${R_SOURCES})
  target_link_libraries(onchip_${name} PRIVATE onchip_${name}_hdr)
  foreach(need ${R_NEEDS})
    target_link_libraries(onchip_${name} PRIVATE onchip_${need}_hdr)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ONCHIP_ROOMS ${name})
endfunction()

# onchip_use_rooms(TARGET room...): links the rooms' objects and shows TARGET their headers.
function(onchip_use_rooms target)
  foreach(room ${ARGN})
    target_link_libraries(${target} PRIVATE onchip_${room} onchip_${room}_hdr)
  endforeach()
endfunction()

# onchip_library(): every room so far as libonchip.so (only what headers mark OC_API is visible)
# and, for our own programs and tests, as the archive onchip_static.
function(onchip_library)
  get_property(rooms GLOBAL PROPERTY ONCHIP_ROOMS)
  add_library(onchip_static STATIC)
  add_library(onchip_shared SHARED)
  # gcc shows the resolvers of target_clones whatever the visibility; this keeps them in.
  target_link_options(onchip_shared PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/onchip.map)
  set_target_properties(onchip_shared PROPERTIES OUTPUT_NAME onchip VERSION ${PROJECT_VERSION} SOVERSION 0)
  foreach(library onchip_static onchip_shared)
    onchip_use_rooms(${library} ${rooms})
    target_include_directories(${library} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  endforeach()
endfunction()
