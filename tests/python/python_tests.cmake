# Python never writes its caches beside the sources.
foreach(name lies check devices broken_world lesson manual audit_engine virtual_devices audit_project)
  onchip_python_test(${name})
  set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
# Builds and runs some thirty programs one after the other.
set_property(TEST python.virtual_devices PROPERTY TIMEOUT 300)
# Some sixty of them.
set_property(TEST python.audit_project PROPERTY TIMEOUT 600)
# It compiles each of its cases, most of them with two compilers.
set_property(TEST python.audit_engine PROPERTY TIMEOUT 400)
