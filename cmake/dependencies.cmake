# Every dependency is a Debian 12 package (scripts/setup installs what is missing).
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # a project around this one links them too
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
if(NOT CVF_WITH_PROGRAM)  # all that libcvf needs
  return()
endif()

find_package(ZLIB REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Boost CONFIG REQUIRED)
find_package(PNG REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

add_library(cvf_hdf5 INTERFACE)
target_include_directories(cvf_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(cvf_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
target_compile_definitions(cvf_hdf5 INTERFACE H5_USE_110_API)

# LibTorch: Debian's 1.13, or a newer one found through CMAKE_PREFIX_PATH. The wheel of PyPI is one, too, but its CMake files
# ask for the whole of CUDA; with CVF_TORCH_WHEEL, its folder site-packages/torch, its libraries for the CPU are taken as they are.
set(CVF_TORCH_WHEEL "" CACHE PATH "Folder of an installed torch wheel to build with, instead of find_package(Torch)")
if(CVF_TORCH_WHEEL)
  set(TORCH_INCLUDE_DIRS ${CVF_TORCH_WHEEL}/include ${CVF_TORCH_WHEEL}/include/torch/csrc/api/include)
  set(TORCH_LIBRARIES ${CVF_TORCH_WHEEL}/lib/libtorch_cpu.so ${CVF_TORCH_WHEEL}/lib/libc10.so)
  set(TORCH_DEFINITIONS USE_C10D_GLOO)  # as every wheel is built; the headers are those of libgloo-dev
  # A wheel has the headers of a newer fmt and not its library: those of the one that is linked must be found first.
  get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/before-torch)
  file(CREATE_LINK ${fmt_headers}/fmt ${CMAKE_BINARY_DIR}/before-torch/fmt SYMBOLIC)
  list(PREPEND TORCH_INCLUDE_DIRS ${CMAKE_BINARY_DIR}/before-torch)
  foreach(path ${TORCH_INCLUDE_DIRS} ${TORCH_LIBRARIES})
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "CVF_TORCH_WHEEL: ${path} is missing; the folder torch of an installed PyTorch 2 would be right")
    endif()
  endforeach()
else()
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)  # Debian 13's LibTorch warns of a static library that its package lacks
  find_package(Torch REQUIRED)
  unset(CMAKE_MESSAGE_LOG_LEVEL)
endif()
