# A toolchain file: compiles for another system with the compiler that `pip install ziglang` installs.
#
#   cmake -S csrc -B build -G Ninja --toolchain cross.cmake -DCYDP_TARGET=aarch64-windows-gnu
#
# Other targets are those of .ci/cross.

# One program is the compiler and the archiver. What CMake knows of some systems names another
# archiver, so that this file is read again after it, for these lines.
set(CMAKE_USER_MAKE_RULES_OVERRIDE_C ${CMAKE_CURRENT_LIST_FILE})
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")
if(CMAKE_C_COMPILER_ID)
  return()
endif()

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CYDP_TARGET)
if(NOT CYDP_TARGET MATCHES "^(x86_64|aarch64)-(linux|macos|windows)")
  message(FATAL_ERROR "CYDP_TARGET must be one such as aarch64-linux-musl, not '${CYDP_TARGET}'")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(names_linux Linux)
set(names_macos Darwin)
set(names_windows Windows)
set(CMAKE_SYSTEM_NAME ${names_${CMAKE_MATCH_2}})

find_program(CYDP_PYTHON NAMES python3 python REQUIRED)
execute_process(
  COMMAND ${CYDP_PYTHON} -c "import ziglang; print(ziglang.__path__[0] + '/zig')"
  OUTPUT_VARIABLE zig OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_C_COMPILER ${zig} cc -target ${CYDP_TARGET})
set(CMAKE_AR ${zig})
set(CMAKE_RANLIB ${zig})
