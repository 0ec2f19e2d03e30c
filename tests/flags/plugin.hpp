// This folder holds programs that are compiled with options or macros that change what headers mean, as others.cmake
// says. This file stands inside Eigen::MatrixBase (EIGEN_MATRIXBASE_PLUGIN).
EIGEN_DEVICE_FUNC Index count_of_plugin() const { return this->size(); }
