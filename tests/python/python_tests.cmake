# Python never writes its caches beside the sources.
foreach(name lies check devices broken_world lesson manual)
  onchip_python_test(${name})
  set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
