# An overlay port for the source tree that it lies in: vcpkg install corio --overlay-ports=<corio>/cmake/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)  # headers only

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES files CORIO_WITH_FILES)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  -DCORIO_BUILD_TESTS=OFF -DCORIO_BUILD_EXAMPLES=OFF -DCORIO_BUILD_BENCH=OFF -DCORIO_INSTALL=ON ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/corio)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
