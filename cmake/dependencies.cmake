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
find_package(Boost REQUIRED)
find_package(PNG REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

add_library(cvf_hdf5 INTERFACE)
target_include_directories(cvf_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(cvf_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
target_compile_definitions(cvf_hdf5 INTERFACE H5_USE_110_API)

# LibTorch: Debian's 1.13, or a newer one found through CMAKE_PREFIX_PATH.
find_package(Torch REQUIRED)
