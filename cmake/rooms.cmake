# One room = one folder = one namespace = one library target = one test executable.

option(CVF_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
set(CVF_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

find_program(CVF_CCACHE ccache)
if(CVF_CCACHE)
  # ccache must be told that it may trust a precompiled header; the compiler flag below belongs to it. With the
  # compiler's own list of dependencies it need not preprocess every file a second time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
                                  ${CVF_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

option(CVF_UNITY "Compile the files of a room together: half the time for a whole build, more for one changed file" OFF)

# cvf_unity(TARGET): its files may be compiled together, so their unnamed namespaces must not clash.
function(cvf_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CVF_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

add_library(cvf_flags INTERFACE)
target_compile_options(cvf_flags INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
if(NOT CVF_UNITY)  # there a name of one file may be a local one of another
  target_compile_options(cvf_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # GCC takes files that are compiled together for headers
  target_compile_options(cvf_flags INTERFACE -Wno-subobject-linkage)
endif()
option(CVF_WERROR "Warnings of our own code are errors; for CI" OFF)
if(CVF_WERROR)
  target_compile_options(cvf_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(cvf_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)  # GCC 12 warns of overlaps and
  # overflows inside std::string and fmt that are not there
endif()
target_include_directories(cvf_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(CVF_SANITIZE)
  add_compile_options(-fsanitize=${CVF_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CVF_SANITIZE})
endif()

# cvf_room(NAME DEPENDS targets...): every .cpp in the current folder becomes cvf_NAME, but for those of cvf_plain.
# Files under simd/ are left to cvf_simd.
function(cvf_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp parts/*.cpp)
  if(TARGET cvf_${name}_plain)
    if(NOT CVF_WITH_PROGRAM)
      return()
    endif()
    get_target_property(plain cvf_${name}_plain SOURCES)
    list(REMOVE_ITEM sources ${plain})
    list(PREPEND ARG_DEPENDS cvf_${name}_plain)
  endif()
  add_library(cvf_${name} STATIC ${sources})
  target_link_libraries(cvf_${name} PUBLIC cvf_flags ${ARG_DEPENDS})
  cvf_unity(cvf_${name})
endfunction()

# cvf_plain(NAME FILES files... DEPENDS targets...): the files of a room that know nothing of LibTorch become
# cvf_NAME_plain, which the runtime links.
function(cvf_plain name)
  cmake_parse_arguments(ARG "" "" "FILES;DEPENDS" ${ARGN})
  list(TRANSFORM ARG_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_library(cvf_${name}_plain STATIC ${ARG_FILES})
  target_link_libraries(cvf_${name}_plain PUBLIC cvf_flags ${ARG_DEPENDS})
  cvf_unity(cvf_${name}_plain)
  cvf_inside_library(cvf_${name}_plain)
endfunction()

# cvf_inside_library(TARGET): it becomes part of libcvf.so, which keeps what it needs of it and shows none of it.
function(cvf_inside_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
endfunction()

# cvf_simd(TARGET files...): compiles each file once for the baseline CPU and once for AVX2+FMA. Inside, everything
# lives in namespace CVF_SIMD (portable or avx2); a dispatcher in an ordinary file picks by CPU feature. Such files
# hold loops over raw pointers only: an inline function of a shared header compiled here for AVX2 could otherwise be
# the copy that the linker keeps for old CPUs too. No contraction: every CPU gives the same bits.
function(cvf_simd target)
  foreach(file ${ARGN})
    get_filename_component(stem ${file} NAME_WE)
    set(flavours portable)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      list(APPEND flavours avx2)
    endif()
    foreach(flavour ${flavours})
      set(object cvf_simd_${target}_${stem}_${flavour})
      add_library(${object} OBJECT ${file})
      target_link_libraries(${object} PRIVATE cvf_flags)
      target_compile_definitions(${object} PRIVATE CVF_SIMD=${flavour})
      target_compile_options(${object} PRIVATE -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
      if(flavour STREQUAL avx2)
        target_compile_options(${object} PRIVATE -mavx2 -mfma)
      endif()
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    endforeach()
  endforeach()
endfunction()

# cvf_use_torch(TARGET): links LibTorch and takes the precompiled header of cvf_torch.
function(cvf_use_torch target)
  if(NOT CVF_WITH_PROGRAM)
    return()
  endif()
  target_link_libraries(${target} PUBLIC cvf_torch)
  target_precompile_headers(${target} REUSE_FROM cvf_torch)
  cvf_unity(${target})
endfunction()
