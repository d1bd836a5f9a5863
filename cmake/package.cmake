# make package: everything as one Debian package, which depends on the Debian packages whose libraries it uses.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the developers of cvf <cvf@localhost>")
set(CPACK_PACKAGE_DESCRIPTION
    "cvf trains a network on snapshots of a simulation or an experiment and steps it by any time interval, with an error
estimate for each step. This package has the program cvf, the library libcvf with headers for C, C++ and Fortran, and the
Python package cvf. Trained models run without LibTorch; training uses it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # libraries by what the programs link
# LibTorch is content with any BLAS, and the reference one is slow.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0, python3 (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, gfortran, python3-torch, python3-pandas, python3-xarray")
include(CPack)
